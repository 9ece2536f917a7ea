/**
 * What lies under a finger or a pressed key is not replaced. A click is a press and a
 * release on the same element; a list that is fetched anew in between would swallow it.
 * Such a refresh is put off until the release; what the user asked for is never held.
 */

let pressed: Element | undefined;
const putOff = new Set<string>();

function press(event: Event): void {
  if (event.target instanceof Element) pressed = event.target;
}

function release(): void {
  pressed = undefined;
  const names = [...putOff];
  putOff.clear();
  // The click comes after the release.
  setTimeout(() => {
    for (const name of names) document.body.dispatchEvent(new CustomEvent(name));
  });
}

function isPress(event: KeyboardEvent): boolean {
  return event.key === " " || event.key === "Enter";
}

document.addEventListener("pointerdown", press, true);
document.addEventListener("keydown", (event) => isPress(event) && press(event), true);
document.addEventListener("keyup", (event) => isPress(event) && release(), true);
for (const name of ["pointerup", "pointercancel"])
  document.addEventListener(name, release, true);
window.addEventListener("blur", release);

interface Swap {
  target: Element;
  elt: Element;
  requestConfig?: { triggeringEvent?: Event };
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const { target, elt, requestConfig } = (event as CustomEvent<Swap>).detail;
  if (pressed === undefined || !target.contains(pressed)) return;
  const cause = requestConfig?.triggeringEvent?.type;
  if (cause === undefined) {
    // Fetched by the clock: it will be again.
    if (elt.getAttribute("hx-trigger")?.includes("every ")) event.preventDefault();
  } else if (cause.startsWith("live:") || cause.endsWith(":refresh")) {
    putOff.add(cause);
    event.preventDefault();
  }
});
