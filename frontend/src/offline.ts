// All that makes a page work without network, in one call.

import { startOfflineBar } from "./offline_bar.js";
import { startOutbox } from "./outbox.js";
import { startPrefetch } from "./prefetch.js";
import { startShell } from "./shell.js";

export function startOffline(): void {
  void startShell();
  startOfflineBar();
  startOutbox();
  if (location.pathname === "/tasks") startPrefetch();
}
