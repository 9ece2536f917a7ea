// Draws a map into each element that asks for one: data-map="full" or "compact", with
// data-robot and data-place for what matters there.

import { mountMap } from "./map/floor_map.js";

export { mountMap };

function mountAll(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLElement>("[data-map]:not([data-drawn])")) {
    element.dataset["drawn"] = "";
    const asked = new URLSearchParams(location.search);
    void mountMap(element, {
      compact: element.dataset["map"] !== "full",
      robot: element.dataset["robot"] ?? asked.get("robot") ?? undefined,
      place: element.dataset["place"] ?? asked.get("place") ?? undefined,
    });
  }
}

mountAll(document);
document.addEventListener("htmx:afterSettle", () => mountAll(document));
