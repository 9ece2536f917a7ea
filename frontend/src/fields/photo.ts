// A photo from the camera of the tablet, small enough to wait offline and to travel over
// bad Wi-Fi: at most 1280 px, JPEG.

import { t } from "../texts.js";
import { pictures, showProblem } from "./controls.js";

const MAX_SIDE_PX = 1280;
const QUALITY = 0.82;

export function enhancePhoto(element: HTMLElement, changed: () => void): void {
  const input = element.querySelector<HTMLInputElement>(".photo-input")!;
  const shown = element.querySelector<HTMLImageElement>(".photo-shown")!;
  if (shown.src.startsWith("data:image/")) putPhoto(element, shown.src);
  // Without scripts the file itself is posted; with them its small copy.
  input.removeAttribute("name");
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (!file) return;
    void shrink(file)
      .then((picture) => {
        showProblem(element, "");
        putPhoto(element, picture);
        changed();
      })
      .catch(() => {
        showProblem(element, t("This picture cannot be read."));
      })
      .finally(() => {
        input.value = "";
      });
  });
  element.querySelector("[data-photo=clear]")!.addEventListener("click", () => {
    putPhoto(element, null);
    changed();
    input.focus();
  });
}

export function putPhoto(element: HTMLElement, value: unknown): void {
  const shown = element.querySelector<HTMLImageElement>(".photo-shown")!;
  const given = typeof value === "string" && value.startsWith("data:image/");
  if (given) {
    pictures.set(element, value);
    shown.src = value;
  } else {
    pictures.delete(element);
    shown.removeAttribute("src");
  }
  shown.hidden = !given;
  element.querySelector<HTMLElement>("[data-photo=clear]")!.hidden = !given;
}

async function shrink(file: Blob): Promise<string> {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, MAX_SIDE_PX / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext("2d")!;
  context.fillStyle = "white"; // JPEG knows no transparency
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return canvas.toDataURL("image/jpeg", QUALITY);
}
