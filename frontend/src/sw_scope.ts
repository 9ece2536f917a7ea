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

interface Events {
  install: LongEvent;
  activate: LongEvent;
  fetch: RequestEvent;
  message: MessageFromPage;
}

export interface WorkerScope {
  readonly location: Location;
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener<K extends keyof Events>(
    type: K,
    listener: (event: Events[K]) => void,
  ): void;
}
