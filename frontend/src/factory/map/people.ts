// People who wear a tag: a dot, and the circle in which they are 95 times of 100.

import { put, svg, write } from "./drawing.js";
import type { PersonFrame } from "./types.js";
import type { Viewport } from "./viewport.js";

interface Person {
  x: number;
  y: number;
  circle: SVGCircleElement;
  dot: SVGGElement;
  name: SVGTextElement;
}

export class People {
  readonly circles = svg("g", { class: "map-circles" });
  readonly dots = svg("g", { class: "map-people" });
  private readonly known = new Map<string, Person>();

  take(frames: PersonFrame[], view: Viewport): void {
    for (const frame of frames) {
      const person = this.known.get(frame.id) ?? this.add(frame.id);
      person.x = frame.x;
      person.y = frame.y;
      put(person.circle, "cx", String(frame.x));
      put(person.circle, "cy", String(-frame.y));
      put(person.circle, "r", String(Math.max(0.1, frame.radius)));
      put(person.dot, "class", frame.grey ? "person person-grey" : "person");
      put(person.circle, "class", frame.grey ? "person-circle person-grey" : "person-circle");
      write(person.name, frame.id);
    }
    for (const [id, person] of this.known)
      if (!frames.some((frame) => frame.id === id)) {
        person.circle.remove();
        person.dot.remove();
        this.known.delete(id);
      }
    this.arrange(view);
  }

  arrange(view: Viewport): void {
    for (const { x, y, dot } of this.known.values())
      put(dot, "transform", `translate(${view.x(x).toFixed(1)} ${view.y(y).toFixed(1)})`);
  }

  private add(id: string): Person {
    const name = svg("text", { class: "person-name", y: 24 });
    const dot = svg(
      "g",
      { class: "person" },
      svg("circle", { class: "person-dot", r: 9 }),
      svg("circle", { class: "person-head", r: 2.6, cy: -2.5 }),
      svg("path", { class: "person-head", d: "M-4.5 5C-4 0.5 4 0.5 4.5 5Z" }),
      name,
    );
    const person = { x: 0, y: 0, circle: svg("circle"), dot, name };
    this.circles.append(person.circle);
    this.dots.append(dot);
    this.known.set(id, person);
    return person;
  }
}
