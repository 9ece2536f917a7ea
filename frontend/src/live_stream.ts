// One event stream from the server, held open over bad Wi-Fi. Runs in the shared worker
// of a browser or, where there is none, in the page itself.

export interface News {
  kind: "state" | "hint" | "reset" | "floor";
  data: string;
  id: string; // how far the stream has come
}

export type LinkState = "live" | "lost" | "away";

const SILENT_MS = 40_000; // the server says something every 15 s
const LOOK_MS = 5_000;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 30_000;

export class LiveStream {
  id = "";
  state: LinkState = "lost";
  private source: EventSource | undefined;
  private floor = false;
  private heardAt = 0;
  private retryMs = FIRST_RETRY_MS;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private watch: ReturnType<typeof setInterval> | undefined;
  private readonly client = Math.random().toString(36).slice(2);

  constructor(private readonly tell: (news: News) => void) {}

  get isOpen(): boolean {
    return this.source !== undefined;
  }

  open(floor: boolean, from = this.id): void {
    this.close();
    this.floor = floor;
    this.id = from;
    const query = new URLSearchParams({ client: this.client });
    if (from) query.set("from", from);
    if (floor) query.set("floor", "1");
    const source = new EventSource(`/events?${query.toString()}`);
    this.source = source;
    this.heardAt = Date.now();
    this.watch = setInterval(() => this.look(), LOOK_MS);
    source.onerror = () => this.lost(source);
    for (const kind of ["hello", "beat", "hint", "reset", "floor", "link"])
      source.addEventListener(kind, (event) => this.hear(source, kind, event as MessageEvent<string>));
  }

  close(): void {
    clearTimeout(this.retry);
    clearInterval(this.watch);
    this.source?.close();
    this.source = undefined;
  }

  // Somebody looks at the page again, or the network is back.
  again(): void {
    if (this.state === "lost") this.open(this.floor);
  }

  private hear(source: EventSource, kind: string, event: MessageEvent<string>): void {
    if (source !== this.source) return;
    this.heardAt = Date.now();
    this.retryMs = FIRST_RETRY_MS;
    if (event.lastEventId) this.id = event.lastEventId;
    if (kind === "link") this.become(event.data === "database away" ? "away" : "live");
    else if (this.state === "lost") this.become("live");
    if (kind === "hint" || kind === "reset" || kind === "floor")
      this.tell({ kind, data: event.data, id: this.id });
  }

  private lost(source: EventSource): void {
    if (source !== this.source) return;
    this.become("lost");
    if (source.readyState !== EventSource.CLOSED) return; // it connects again by itself
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.open(this.floor), this.retryMs);
    this.retryMs = Math.min(LONGEST_RETRY_MS, this.retryMs * 2);
  }

  // A connection that died without a word looks open for many minutes.
  private look(): void {
    if (Date.now() - this.heardAt < SILENT_MS) return;
    this.become("lost");
    this.open(this.floor);
  }

  private become(state: LinkState): void {
    if (state === this.state) return;
    this.state = state;
    this.tell({ kind: "state", data: state, id: this.id });
  }
}

// Whether a position of the history is later than another; an unknown one is early.
export function isLater(one: string, other: string): boolean {
  const [a = 0, b = 0] = one.split("-").map(Number);
  const [c = 0, d = 0] = other.split("-").map(Number);
  return a !== c ? a > c : b > d;
}
