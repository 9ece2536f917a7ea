// The inbox of incidents: what somebody types stays when the list is fetched anew, and
// alerts are switched on and off for this device.

import { post } from "./posting.js";
import { t } from "./texts.js";

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target } = (event as CustomEvent<{ target: Element; shouldSwap: boolean }>)
    .detail;
  const here = document.activeElement;
  if (here instanceof HTMLInputElement && here.value !== "" && target.contains(here))
    (event as CustomEvent<{ shouldSwap: boolean }>).detail.shouldSwap = false;
});

const box = document.getElementById("push-alerts");
const state = document.getElementById("push-state");
const button = document.querySelector<HTMLButtonElement>("#push-switch");

interface Workers {
  serviceWorker?: ServiceWorkerContainer;
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function show(on: boolean, told?: string): void {
  if (!state || !button) return;
  state.textContent =
    told ?? (on ? t("Alerts appear on this device.") : t("Alerts are off on this device."));
  button.textContent = on ? t("Switch off") : t("Switch on");
  button.setAttribute("aria-pressed", String(on));
  button.hidden = false;
}

async function switchOn(manager: PushManager, key: string): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") {
    show(false, t("The browser was told not to show notices. Allow them in its settings."));
    return;
  }
  let found: PushSubscription;
  try {
    found = await manager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: bytes(key),
    });
  } catch {
    show(false, t("The browser reaches no push service. Is this device on the internet?"));
    return;
  }
  const { status, said } = await post("/incidents/alerts/device", found.toJSON());
  if (status === 200) {
    show(true);
    return;
  }
  await found.unsubscribe();
  const why = said["error"];
  show(false, typeof why === "string" ? why : t("The server does not answer. Try again."));
}

async function switchOff(found: PushSubscription): Promise<void> {
  const { status } = await post("/incidents/alerts/device/remove", {
    endpoint: found.endpoint,
  });
  if (status !== 200) {
    show(true, t("The server does not answer. Try again."));
    return;
  }
  await found.unsubscribe();
  show(false);
}

async function start(): Promise<void> {
  const key = box?.dataset["pushKey"];
  const workers = (navigator as Workers).serviceWorker;
  if (!key || !workers || !("PushManager" in window) || !("Notification" in window)) return;
  const { pushManager } = await workers.ready;
  show((await pushManager.getSubscription()) !== null);
  button?.addEventListener("click", () => {
    void (async () => {
      button.disabled = true;
      const found = await pushManager.getSubscription();
      await (found ? switchOff(found) : switchOn(pushManager, key));
      button.disabled = false;
    })();
  });
}

void start();
