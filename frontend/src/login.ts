// The PIN pad: digits by touch, and without the keyboard of the screen over them.

const LONGEST = 8;

function showPad(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>("input[name=pin]");
  const pad = form.querySelector<HTMLElement>("[data-pin-pad]");
  const plain = form.querySelector<HTMLElement>("[data-plain-go]");
  if (!input || !pad) return;
  input.inputMode = "none";
  pad.hidden = false;
  plain?.remove();
  pad.addEventListener("click", (event) => {
    const key = event.target instanceof Element ? event.target.closest("button") : null;
    const digit = key?.dataset["digit"];
    if (digit === undefined) return;
    if (digit === "back") input.value = input.value.slice(0, -1);
    else if (input.value.length < LONGEST) input.value += digit;
    // By pointer only: who walks over the keys with the keyboard stays there.
    if (event.detail > 0) input.focus({ preventScroll: true });
  });
}

for (const form of document.querySelectorAll<HTMLFormElement>("[data-pin-form]"))
  showPad(form);

// A scanner types wherever the focus is; after a tap beside a field it is nowhere.
const badge = document.querySelector<HTMLInputElement>("input[name=badge]");
if (badge)
  document.addEventListener("keydown", (event) => {
    const elsewhere = document.activeElement?.matches("input, button, a, summary");
    if (event.key.length === 1 && !elsewhere) badge.focus();
  });
