// Alerts that a push service brings: shown by the system, and a tap opens their page.

import type { WorkerScope } from "./sw_scope.js";

interface Notice {
  title: string;
  body: string;
  path: string;
}

export function noticeOf(text: string | undefined): Notice {
  let told: Partial<Record<keyof Notice, unknown>> = {};
  try {
    told = JSON.parse(text ?? "") as typeof told;
  } catch {
    // A push without words still means that something is stuck.
  }
  const { title, body, path } = told;
  return {
    title: typeof title === "string" && title ? title : "MPMS",
    body: typeof body === "string" ? body : "",
    // Only pages of ours are opened.
    path: typeof path === "string" && /^\/incidents(\/\w+)?$/.test(path) ? path : "/incidents",
  };
}

export function showAlerts(scope: WorkerScope): void {
  scope.addEventListener("push", (event) => {
    const { title, body, path } = noticeOf(event.data?.text());
    event.waitUntil(
      scope.registration.showNotification(title, {
        body,
        tag: path, // the same cause replaces its notice
        data: path,
      }),
    );
  });
  scope.addEventListener("notificationclick", (event) => {
    event.notification.close();
    const path = String(event.notification.data ?? "/incidents");
    event.waitUntil(open(scope, path));
  });
}

async function open(scope: WorkerScope, path: string): Promise<void> {
  const windows = await scope.clients.matchAll({ type: "window" });
  const there = windows.find((one) => new URL(one.url).pathname === path);
  if (there) await there.focus();
  else await scope.clients.openWindow(path);
}
