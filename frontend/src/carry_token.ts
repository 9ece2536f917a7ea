/** A token carried by keys: M takes it, arrows choose where to, Enter asks to move it. */
import type { Box } from "./diagram_canvas.js";
import { t } from "./texts.js";

export interface Place extends Box {
  id: string;
  name: string;
}

export interface Carrier {
  places(): Place[]; // where a token can be put
  aim(place: Place | null): void;
  say(words: string): void;
  carrying(on: boolean): void;
  drop(element: string): void;
}

const WAYS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function carryByKeys(badge: HTMLElement, from: string, name: string, carrier: Carrier): void {
  let here: Place | null = null;

  const stop = (): void => {
    if (here === null) return;
    here = null;
    badge.classList.remove("instance-carried");
    carrier.aim(null);
    carrier.carrying(false);
  };
  const look = (place: Place): void => {
    here = place;
    carrier.aim(place);
  };
  const take = (): void => {
    const start = carrier.places().find(({ id }) => id === from);
    if (start === undefined) return;
    carrier.carrying(true);
    badge.classList.add("instance-carried");
    look(start);
    carrier.say(t("Moving {step}: arrow keys choose where to, Enter drops it, Escape puts it back.", { step: name }));
  };

  badge.setAttribute("aria-keyshortcuts", "M");
  badge.addEventListener("blur", stop);
  badge.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (here === null) {
      if (event.key.toLowerCase() !== "m") return;
      take();
    } else if (event.key === "Escape") {
      stop();
      carrier.say(t("Nothing was moved."));
    } else if (event.key === "Enter") {
      const target = here.id;
      stop();
      if (target !== from) carrier.drop(target);
    } else {
      const way = WAYS[event.key];
      const next = way === undefined ? null : nearest(here, way, carrier.places());
      if (way === undefined) return;
      if (next !== null) look(next);
      carrier.say(t("Onto {step}", { step: here.name }));
    }
    event.preventDefault();
    event.stopPropagation();
  });
}

/** The next place in a direction; what lies aside counts as farther. */
export function nearest(from: Place, [wayX, wayY]: [number, number], places: Place[]): Place | null {
  let best: Place | null = null;
  let least = Infinity;
  for (const place of places) {
    const dx = place.x + place.width / 2 - from.x - from.width / 2;
    const dy = place.y + place.height / 2 - from.y - from.height / 2;
    const ahead = dx * wayX + dy * wayY;
    const aside = Math.abs(dx * wayY) + Math.abs(dy * wayX);
    if (ahead <= 1 || aside > 2 * ahead) continue;
    const far = ahead + 2 * aside;
    if (far < least) [best, least] = [place, far];
  }
  return best;
}
