// The service worker seen from a page: registered once, and replaced by a newer one
// only when the person says so, because a form may be open.

const ready: (() => void)[] = [];
let waiting: ServiceWorker | undefined;

function container(): ServiceWorkerContainer | undefined {
  return (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
}

function offer(worker: ServiceWorker | null): void {
  // Without a controller it is the first one ever: nothing to be replaced.
  if (!worker || !container()?.controller) return;
  waiting = worker;
  for (const tell of ready) tell();
}

export function onUpdateReady(tell: () => void): void {
  ready.push(tell);
  if (waiting) tell();
}

/** Drafts are saved field by field, so the reload loses nothing. */
export function loadUpdate(): void {
  container()?.addEventListener("controllerchange", () => location.reload(), {
    once: true,
  });
  waiting?.postMessage({ type: "activate" });
}

/** Fetches pages now, so that they open without network later. */
export async function keepPages(paths: string[]): Promise<void> {
  const registration = await container()?.ready;
  registration?.active?.postMessage({ type: "keep", paths });
}

export async function startShell(): Promise<void> {
  const workers = container();
  if (!workers) return; // no secure context: the outbox works, pages need the network
  try {
    const registration = await workers.register("/sw.js");
    offer(registration.waiting);
    registration.addEventListener("updatefound", () => {
      const found = registration.installing;
      found?.addEventListener("statechange", () => {
        if (found.state === "installed") offer(registration.waiting);
      });
    });
  } catch (failure) {
    console.warn(failure);
  }
}
