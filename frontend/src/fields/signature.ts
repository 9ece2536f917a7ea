// A signature drawn with finger, pen or mouse; whoever cannot draw types the name.

import { pictures } from "./controls.js";

const LINE_PX = 4;

export function enhanceSignature(element: HTMLElement, changed: () => void): void {
  const canvas = element.querySelector<HTMLCanvasElement>(".signature-canvas")!;
  const name = element.querySelector<HTMLInputElement>(".signature-name")!;
  const clear = element.querySelector<HTMLElement>("[data-signature=clear]")!;
  canvas.hidden = false;
  clear.hidden = false;
  name.removeAttribute("name");
  const context = canvas.getContext("2d")!;
  context.lineWidth = LINE_PX;
  context.lineCap = context.lineJoin = "round";
  if (canvas.dataset.drawn) putSignature(element, canvas.dataset.drawn);

  let drawing = false;
  const at = (event: PointerEvent): [number, number] => {
    const box = canvas.getBoundingClientRect();
    return [
      ((event.clientX - box.left) * canvas.width) / box.width,
      ((event.clientY - box.top) * canvas.height) / box.height,
    ];
  };
  canvas.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    drawing = true;
    context.beginPath();
    context.moveTo(...at(event));
    context.lineTo(...at(event));
    context.stroke();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drawing) return;
    context.lineTo(...at(event));
    context.stroke();
  });
  const end = (): void => {
    if (!drawing) return;
    drawing = false;
    name.value = "";
    pictures.set(element, canvas.toDataURL("image/png"));
    changed();
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  // Typing the name takes the place of what was drawn.
  name.addEventListener("input", () => wipe(element));
  clear.addEventListener("click", () => {
    wipe(element);
    name.value = "";
    changed();
  });
}

export function putSignature(element: HTMLElement, value: unknown): void {
  wipe(element);
  if (typeof value !== "string" || !value.startsWith("data:image/")) return;
  pictures.set(element, value);
  const canvas = element.querySelector<HTMLCanvasElement>(".signature-canvas")!;
  const image = new Image();
  image.addEventListener("load", () =>
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height),
  );
  image.src = value;
}

function wipe(element: HTMLElement): void {
  pictures.delete(element);
  const canvas = element.querySelector<HTMLCanvasElement>(".signature-canvas")!;
  canvas.getContext("2d")!.clearRect(0, 0, canvas.width, canvas.height);
}
