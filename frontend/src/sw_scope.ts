// The parts of a service worker's world that ours uses. TypeScript knows either pages or
// workers in one program, and ours has both.

export interface LongEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

export interface RequestEvent extends LongEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

export interface MessageFromPage extends LongEvent {
  readonly data: { type?: string; paths?: unknown };
}

export interface PushEvent extends LongEvent {
  readonly data: { text(): string } | null;
}

export interface NoticeEvent extends LongEvent {
  readonly notification: Notification;
}

interface Window {
  readonly url: string;
  focus(): Promise<unknown>;
}

interface Events {
  push: PushEvent;
  notificationclick: NoticeEvent;
  install: LongEvent;
  activate: LongEvent;
  fetch: RequestEvent;
  message: MessageFromPage;
}

export interface WorkerScope {
  readonly location: Location;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(which: { type: "window" }): Promise<readonly Window[]>;
    openWindow(path: string): Promise<unknown>;
  };
  readonly registration: ServiceWorkerRegistration;
  skipWaiting(): Promise<void>;
  addEventListener<K extends keyof Events>(
    type: K,
    listener: (event: Events[K]) => void,
  ): void;
}
