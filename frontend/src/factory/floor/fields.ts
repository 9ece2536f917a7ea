// What is known of the selected part, as fields: the way for keyboards and for figures.

import { t } from "../../texts.js";
import { type Floor, type Part, type Pose, USES, type Use } from "./draft.js";
import { door, dropStock, geometries, setStock, wallIndex } from "./solid.js";

export interface Answers {
  // Something was typed: change it, draw it, check it.
  change: (what: () => Part | null) => void;
}

export function fieldsOf(floor: Floor, part: Part, answers: Answers): HTMLElement[] {
  const again = (set: () => unknown): void => {
    answers.change(() => {
      set();
      return part;
    });
  };
  const name = text(t("Name"), part.name, (value) =>
    answers.change(() => floor.rename(part, value.trim())),
  );
  const remove = document.createElement("button");
  remove.type = "button";
  remove.className = "button button-danger";
  remove.textContent = t("Remove");
  remove.addEventListener("click", () =>
    answers.change(() => {
      floor.remove(part);
      return null;
    }),
  );
  const named = part.section === "walls" ? [] : [name];
  return [...named, ...own(floor, part, again, answers), remove];
}

function own(
  floor: Floor,
  part: Part,
  again: (set: () => unknown) => void,
  answers: Answers,
): HTMLElement[] {
  switch (part.section) {
    case "lanes": {
      const lane = floor.lane(part.name);
      if (!lane) return [];
      return [
        tick(t("One way"), lane.one_way === true, (on) => again(() => (lane.one_way = on))),
        ...(lane.one_way
          ? [press(t("Turn the direction around"), () => again(() => lane.points.reverse()))]
          : []),
        number(t("Width in metres"), lane.width_m, (value) => again(() => set(lane, "width_m", value))),
        number(t("Speed limit in m/s"), lane.speed_mps, (value) =>
          again(() => set(lane, "speed_mps", value)),
        ),
      ];
    }
    case "zones": {
      const zone = floor.draft.zones[part.name];
      if (!zone) return [];
      const rules = {
        open: t("open"),
        single: t("one robot at a time"),
        same_direction: t("all in one direction"),
        forbidden: t("nobody"),
      };
      return [
        choice(t("Who may drive here"), rules, zone.block ?? "open", (value) =>
          again(() => (zone.block = value)),
        ),
        number(t("Speed limit in m/s"), zone.speed_mps, (value) =>
          again(() => set(zone, "speed_mps", value)),
        ),
        text(t("Counts as one with all zones of the group"), zone.group ?? "", (value) =>
          again(() => (value.trim() ? (zone.group = value.trim()) : delete zone.group)),
        ),
      ];
    }
    case "charging": {
      const zone = floor.draft.charging[part.name];
      if (!zone) return [];
      const places = document.createElement("p");
      places.className = "small";
      places.textContent = zone.places.length
        ? t("Robots charge at: {places}", { places: zone.places.join(", ") })
        : t("No place lies in it yet: add one where robots charge.");
      return [
        number(t("Percent per second"), zone.rate_percent_per_s, (value) =>
          again(() => (zone.rate_percent_per_s = value ?? 0)),
        ),
        number(t("Robots at once"), zone.max_robots, (value) =>
          again(() => (zone.max_robots = Math.round(value ?? 1))),
        ),
        places,
        press(t("Take the places inside"), () => again(() => floor.fillCharging(zone))),
      ];
    }
    case "robots": {
      const robot = floor.robot(part.name);
      if (!robot) return [];
      return [
        choice(t("Type"), named(floor.kinds()), robot.kind, (value) => again(() => (robot.kind = value))),
        choice(
          t("How robots of this type drive"),
          { free: t("freely"), lanes: t("along lanes only"), grid: t("from cell to cell") },
          floor.moves(robot.kind),
          (value) => again(() => floor.setMoves(robot.kind, value)),
        ),
        choice(t("Rest place"), named(floor.placeNames()), robot.home, (value) =>
          again(() => (robot.home = value)),
        ),
        number(t("Speed in m/s"), robot.max_speed_mps, (value) =>
          again(() => (robot.max_speed_mps = value ?? 0)),
        ),
        number(t("Payload in kg"), robot.max_payload_kg, (value) =>
          again(() => (robot.max_payload_kg = value ?? 0)),
        ),
      ];
    }
    case "walls": {
      const wall = floor.draft.walls[wallIndex(part.name)];
      if (!wall) return [];
      const words = [t("from x in metres"), t("from y in metres"), t("to x in metres"), t("to y in metres")];
      return words.map((word, index) =>
        number(word, wall[index], (value) => again(() => (wall[index] = value ?? 0))),
      );
    }
    case "doors": {
      const found = door(floor.draft, part.name);
      if (!found) return [];
      const ends = [
        [t("from x in metres"), "x1_m"],
        [t("from y in metres"), "y1_m"],
        [t("to x in metres"), "x2_m"],
        [t("to y in metres"), "y2_m"],
      ] as const;
      return [
        ...ends.map(([word, key]) =>
          number(word, found[key], (value) => again(() => (found[key] = value ?? 0))),
        ),
        number(t("Simulated: shut every … seconds"), found.closed_every_s, (value) =>
          again(() => {
            set(found, "closed_every_s", value);
            if (value === undefined) delete found.open_for_s;
            else found.open_for_s ??= value / 2;
          }),
        ),
        number(t("Simulated: open for … seconds"), found.open_for_s, (value) =>
          again(() => set(found, "open_for_s", value)),
        ),
      ];
    }
    case "packages": {
      const type = floor.draft.packages[part.name];
      if (!type) return [];
      const shapes = { "": t("any"), ...named(geometries(floor.draft)) };
      return [
        number(t("Weight in kg"), type.weight_kg, (value) =>
          again(() => (type.weight_kg = value ?? 0)),
        ),
        choice(t("Geometry that a robot must carry"), shapes, type.geometry ?? "", (value) =>
          again(() => (value ? (type.geometry = value) : delete type.geometry)),
        ),
      ];
    }
    default: {
      const pose = floor.draft[part.section][part.name];
      if (!pose) return [];
      const uses: Record<Use, string> = {
        places: t("a place"),
        storage: t("storage"),
        inputs: t("an input"),
        outputs: t("an output"),
      };
      const use =
        part.section === "waiting"
          ? []
          : [
              choice(t("What it is"), uses, part.section, (value) => {
                const wanted = USES.find((each) => each === value) ?? "places";
                answers.change(() => floor.setUse(part.name, wanted));
              }),
              press(t("Add a waiting place beside it"), () =>
                answers.change(() => {
                  floor.draft.waiting[part.name] ??= { ...pose, x_m: pose.x_m + 1.5 };
                  return { section: "waiting", name: part.name };
                }),
              ),
            ];
      return [...coordinates(pose, again), ...use, ...stock(floor, part, again)];
    }
  }
}

// What lies at a storage place when a fleet begins; later the fleet knows by itself.
function stock(floor: Floor, part: Part, again: (set: () => unknown) => void): HTMLElement[] {
  if (part.section !== "storage") return [];
  const lying = floor.draft.stock[part.name];
  const types = { "": t("nothing"), ...named(Object.keys(floor.draft.packages)) };
  const kind = choice(t("What lies there at the start"), types, lying?.type ?? "", (value) =>
    again(() => setStock(floor.draft, part.name, value)),
  );
  if (!lying) return [kind];
  const id = text(t("Package"), lying.package, (value) =>
    again(() => (value.trim() ? (lying.package = value.trim()) : dropStock(floor.draft, part.name))),
  );
  return [kind, id];
}

function coordinates(pose: Pose, again: (set: () => unknown) => void): HTMLElement[] {
  return [
    number(t("x in metres"), pose.x_m, (value) => again(() => (pose.x_m = value ?? 0))),
    number(t("y in metres"), pose.y_m, (value) => again(() => (pose.y_m = value ?? 0))),
    number(t("Heading in degrees"), pose.yaw_deg ?? 0, (value) =>
      again(() => (pose.yaw_deg = value ?? 0)),
    ),
  ];
}

function set<Key extends string>(
  on: Partial<Record<Key, number>>,
  key: Key,
  value: number | undefined,
): void {
  if (value === undefined) Reflect.deleteProperty(on, key);
  else on[key] = value;
}

function named(names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, name]));
}

function field(label: string, control: HTMLElement): HTMLLabelElement {
  const whole = document.createElement("label");
  whole.className = "field";
  const word = document.createElement("span");
  word.className = "field-label";
  word.textContent = label;
  whole.append(word, control);
  return whole;
}

function text(label: string, value: string, said: (value: string) => void): HTMLElement {
  const input = document.createElement("input");
  input.value = value;
  input.maxLength = 60;
  input.autocomplete = "off";
  input.addEventListener("change", () => said(input.value));
  return field(label, input);
}

function number(
  label: string,
  value: number | undefined,
  said: (value: number | undefined) => void,
): HTMLElement {
  const input = document.createElement("input");
  input.type = "number";
  input.step = "any";
  input.inputMode = "decimal";
  input.value = value === undefined ? "" : String(value);
  input.addEventListener("change", () => {
    const typed = input.value.trim() === "" ? undefined : Number(input.value);
    if (typed === undefined || Number.isFinite(typed)) said(typed);
  });
  return field(label, input);
}

function tick(label: string, on: boolean, said: (on: boolean) => void): HTMLElement {
  const input = document.createElement("input");
  input.type = "checkbox";
  input.checked = on;
  input.addEventListener("change", () => said(input.checked));
  const whole = document.createElement("label");
  whole.className = "floor-tick";
  whole.append(input, ` ${label}`);
  return whole;
}

function choice(
  label: string,
  options: Record<string, string>,
  value: string,
  said: (value: string) => void,
): HTMLElement {
  const select = document.createElement("select");
  const all = value in options ? options : { ...options, [value]: value };
  for (const [key, word] of Object.entries(all))
    select.append(new Option(word, key, key === value, key === value));
  select.addEventListener("change", () => said(select.value));
  return field(label, select);
}

function press(label: string, pressed: () => void): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button-slim";
  button.textContent = label;
  button.addEventListener("click", pressed);
  return button;
}
