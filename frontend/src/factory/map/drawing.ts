// SVG elements in one expression.

const SVG = "http://www.w3.org/2000/svg";

type Values = Record<string, string | number>;

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  values: Values = {},
  ...children: Element[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(values))
    element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

// Writing an attribute costs even if nothing changes.
export function put(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function line(points: Iterable<readonly [number, number]>): string {
  let drawn = "";
  for (const [x, y] of points) drawn += `${drawn ? "L" : "M"}${x} ${-y}`;
  return drawn;
}
