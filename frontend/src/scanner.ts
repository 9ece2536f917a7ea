// Reads a code with the camera: the browser's own detector where there is one, else
// ZXing as WebAssembly from our own server. Loaded when somebody asks for it.

import { assetUrl } from "./assets.js";
import { t } from "./texts.js";

const FORMATS = [
  "qr_code",
  "data_matrix",
  "code_128",
  "code_39",
  "ean_13",
  "ean_8",
  "itf",
  "upc_a",
] as const;
const LOOK_EVERY_MS = 120;

interface Detector {
  detect: (source: HTMLVideoElement) => Promise<{ rawValue: string }[]>;
}

interface NativeDetector {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats: () => Promise<string[]>;
}

async function makeDetector(): Promise<Detector> {
  const native = (globalThis as { BarcodeDetector?: NativeDetector }).BarcodeDetector;
  if (native) {
    const known = await native.getSupportedFormats().catch(() => [] as string[]);
    const formats = FORMATS.filter((format) => known.includes(format));
    if (formats.includes("qr_code") && formats.includes("code_128"))
      return new native({ formats });
  }
  const { BarcodeDetector, prepareZXingModule } = await import(
    "barcode-detector/ponyfill"
  );
  prepareZXingModule({
    overrides: { locateFile: () => assetUrl("zxing_reader.wasm") },
  });
  return new BarcodeDetector({ formats: [...FORMATS] });
}

/** The code, or null if the person gave up. Fails where there is no camera. */
export async function scanCode(label: string): Promise<string | null> {
  // The DOM's types promise it; browsers have it over TLS only.
  const devices = navigator.mediaDevices as MediaDevices | undefined;
  if (!devices) throw new Error("no camera without a secure connection");
  const stream = await devices.getUserMedia({
    video: { facingMode: "environment", width: { ideal: 1280 } },
  });
  const view = openView(label);
  try {
    view.video.srcObject = stream;
    await view.video.play();
    const detector = await makeDetector();
    while (view.dialog.open) {
      const found = (await detector.detect(view.video).catch(() => []))[0];
      if (found?.rawValue) return found.rawValue;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return null;
  } finally {
    for (const track of stream.getTracks()) track.stop();
    view.dialog.close();
    view.dialog.remove();
  }
}

function openView(label: string): { dialog: HTMLDialogElement; video: HTMLVideoElement } {
  const dialog = document.createElement("dialog");
  dialog.className = "scanner";
  dialog.setAttribute("aria-label", t("Scan with the camera"));
  const title = document.createElement("p");
  title.className = "scanner-label";
  title.textContent = label;
  const video = document.createElement("video");
  video.className = "scanner-video";
  video.muted = true;
  video.playsInline = true;
  const stop = document.createElement("button");
  stop.className = "button scanner-stop";
  stop.type = "button";
  stop.textContent = t("Cancel");
  stop.addEventListener("click", () => dialog.close());
  dialog.append(title, video, stop);
  document.body.append(dialog);
  dialog.showModal();
  return { dialog, video };
}
