// Which part of the floor is shown: pan, pinch, wheel, keys. Screen pixels = metres
// times scale plus shift; y points down on the screen.

export interface Box {
  left: number;
  bottom: number;
  width: number;
  height: number;
}

// Pixels around the floor that tools and names cover.
export interface Margins {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

const NEAREST = 400; // pixels a metre
const STEP = 1.3;
const NUDGE = 60;
const SLACK = 4; // pixels a finger may wander during a tap

export class Viewport {
  scale = 1;
  shiftX = 0;
  shiftY = 0;
  width = 0;
  height = 0;
  moved = false; // by hand: a new size of the window does not fit it again
  dragged = false; // since the last press: a tap that was none
  private readonly fingers = new Map<number, { x: number; y: number }>();
  private pressed = { x: 0, y: 0 };

  constructor(
    private readonly element: HTMLElement,
    private readonly box: Box,
    private readonly changed: () => void,
    private readonly margins: Margins,
  ) {}

  start(): void {
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.resize();
  }

  x(metres: number): number {
    return metres * this.scale + this.shiftX;
  }

  y(metres: number): number {
    return -metres * this.scale + this.shiftY;
  }

  listen(): void {
    const element = this.element;
    element.addEventListener("pointerdown", (event) => this.press(event));
    element.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"] as const)
      element.addEventListener(end, (event) => this.fingers.delete(event.pointerId));
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("keydown", (event) => this.key(event));
  }

  fit(): void {
    const { left, bottom, width, height } = this.box;
    const { top, right, bottom: below, left: aside } = this.margins;
    const [wide, high] = [this.width - aside - right, this.height - top - below];
    this.scale = Math.max(1, Math.min(wide / width, high / height));
    this.shiftX = aside + wide / 2 - (left + width / 2) * this.scale;
    this.shiftY = top + high / 2 + (bottom + height / 2) * this.scale;
    this.moved = false;
    this.changed();
  }

  zoom(factor: number, atX = this.width / 2, atY = this.height / 2): void {
    const farthest = Math.min(this.width, this.height) / 2;
    const least = farthest / Math.max(this.box.width, this.box.height);
    const scale = Math.min(NEAREST, Math.max(least, this.scale * factor));
    const real = scale / this.scale;
    this.shiftX = atX - (atX - this.shiftX) * real;
    this.shiftY = atY - (atY - this.shiftY) * real;
    this.scale = scale;
    this.settle();
  }

  closer(): void {
    this.zoom(STEP);
  }

  farther(): void {
    this.zoom(1 / STEP);
  }

  // Bring a spot into view if it is not.
  reveal(x: number, y: number): void {
    const [onX, onY] = [this.x(x), this.y(y)];
    const edge = 40;
    if (onX > edge && onX < this.width - edge && onY > edge && onY < this.height - edge)
      return;
    this.shiftX += this.width / 2 - onX;
    this.shiftY += this.height / 2 - onY;
    this.settle();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth === this.width && clientHeight === this.height) return;
    this.shiftX += (clientWidth - this.width) / 2;
    this.shiftY += (clientHeight - this.height) / 2;
    this.width = clientWidth;
    this.height = clientHeight;
    if (this.moved) this.changed();
    else this.fit();
  }

  private pan(byX: number, byY: number): void {
    this.shiftX += byX;
    this.shiftY += byY;
    this.settle();
  }

  // The middle of the screen never leaves the floor.
  private settle(): void {
    const { left, bottom, width, height } = this.box;
    const [midX, midY] = [this.width / 2, this.height / 2];
    const x = clamp((midX - this.shiftX) / this.scale, left, left + width);
    const y = clamp((this.shiftY - midY) / this.scale, bottom, bottom + height);
    this.shiftX = midX - x * this.scale;
    this.shiftY = midY + y * this.scale;
    this.moved = true;
    this.changed();
  }

  private press(event: PointerEvent): void {
    if (event.pointerType === "mouse" && event.button !== 0) return;
    if (this.fingers.size === 0) {
      this.dragged = false;
      this.pressed = { x: event.clientX, y: event.clientY };
    }
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  private drag(event: PointerEvent): void {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    const far = Math.hypot(now.x - this.pressed.x, now.y - this.pressed.y);
    if (!this.dragged && far < SLACK && this.fingers.size === 1) return;
    if (!this.dragged) {
      this.dragged = true;
      this.element.setPointerCapture(event.pointerId);
    }
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    this.fingers.set(event.pointerId, now);
    if (!other) return this.pan(now.x - before.x, now.y - before.y);
    const apart = Math.hypot(before.x - other.x, before.y - other.y);
    const wider = Math.hypot(now.x - other.x, now.y - other.y);
    const frame = this.element.getBoundingClientRect();
    const middleX = (now.x + other.x) / 2 - frame.left;
    const middleY = (now.y + other.y) / 2 - frame.top;
    this.shiftX += (now.x - before.x) / 2;
    this.shiftY += (now.y - before.y) / 2;
    if (apart > 0) this.zoom(wider / apart, middleX, middleY);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const frame = this.element.getBoundingClientRect();
    const lines = event.deltaMode === 1 ? 16 : 1;
    const factor = Math.exp(-clamp(event.deltaY * lines, -200, 200) / 400);
    this.zoom(factor, event.clientX - frame.left, event.clientY - frame.top);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => this.pan(NUDGE, 0),
      ArrowRight: () => this.pan(-NUDGE, 0),
      ArrowUp: () => this.pan(0, NUDGE),
      ArrowDown: () => this.pan(0, -NUDGE),
      "+": () => this.closer(),
      "=": () => this.closer(),
      "-": () => this.farther(),
      "0": () => this.fit(),
    };
    const act = event.target === this.element ? acts[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  }
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
