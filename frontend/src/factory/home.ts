// The diagram on Start follows the orders: new ones are offered, ended ones leave. The
// drawing itself stays while its order is being made, so nothing jumps under the finger.

import htmx from "htmx.org";

const GAP_MS = 50; // a burst of hints becomes one question
let asked: ReturnType<typeof setTimeout> | undefined;

function orderIn(part: ParentNode): string | undefined {
  return part.querySelector<HTMLElement>("mpms-diagram")?.dataset["order"];
}

async function follow(): Promise<void> {
  const part = document.getElementById("home-diagram");
  if (!part) return;
  const shown = orderIn(part);
  const query = shown === undefined ? "" : `?order=${encodeURIComponent(shown)}`;
  const answer = await fetch(`/overview/diagram${query}`).catch(() => null);
  if (!answer?.ok) return;
  const fresh = document.createElement("template");
  fresh.innerHTML = await answer.text();
  // Somebody may have chosen another order meanwhile.
  if (orderIn(part) !== shown) return;
  const head = fresh.content.querySelector("#home-diagram-head");
  const old = part.querySelector("#home-diagram-head");
  if (head && old && orderIn(fresh.content) === shown) {
    if (old.innerHTML === head.innerHTML) return;
    const focused = old.contains(document.activeElement) ? document.activeElement?.textContent : null;
    old.replaceWith(head);
    if (focused)
      for (const button of head.querySelectorAll("button"))
        if (button.textContent === focused) button.focus();
  } else part.replaceChildren(fresh.content);
  htmx.process(part);
}

for (const topic of ["live:instances", "live:reset"])
  document.body.addEventListener(topic, () => {
    clearTimeout(asked);
    asked = setTimeout(() => void follow(), GAP_MS);
  });
