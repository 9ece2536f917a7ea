// Drag with one finger, pinch with two: the viewer of diagrams has no touch.

export interface Paper {
  zoom(step?: number | "fit-viewport", centre?: { x: number; y: number } | "auto"): number;
  scroll(delta: { dx: number; dy: number }): void;
}

interface Finger {
  x: number;
  y: number;
}

export function panAndPinch(stage: HTMLElement, paper: () => Paper | null): void {
  const fingers = new Map<number, Finger>();
  let apart = 0;
  stage.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    if (event.target instanceof Element && event.target.closest("[data-token]")) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    apart = 0;
  });
  stage.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    const here = paper();
    if (before === undefined || here === null) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 1)
      here.scroll({ dx: event.clientX - before.x, dy: event.clientY - before.y });
    else if (fingers.size === 2) apart = pinch(stage, here, [...fingers.values()], apart);
  });
  for (const kind of ["pointerup", "pointercancel", "pointerleave"] as const)
    stage.addEventListener(kind, (event) => {
      fingers.delete(event.pointerId);
      apart = 0;
    });
}

function pinch(stage: HTMLElement, paper: Paper, two: Finger[], apart: number): number {
  const [a, b] = two;
  if (a === undefined || b === undefined) return apart;
  const now = Math.hypot(a.x - b.x, a.y - b.y);
  const frame = stage.getBoundingClientRect();
  const centre = { x: (a.x + b.x) / 2 - frame.left, y: (a.y + b.y) / 2 - frame.top };
  if (apart > 0) paper.zoom((paper.zoom() * now) / apart, centre);
  return now;
}
