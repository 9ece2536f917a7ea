// What a drawing says, read and written through the modeller's commands, so that all of
// it can be undone. Extensions are kept as they stand in the file: no description of
// Camunda's words is loaded, and so none of them can be lost by being unknown.

export const CAMUNDA = "http://camunda.org/schema/1.0/bpmn";
export const ZEEBE = "http://camunda.org/schema/zeebe/1.0";
export type Dialect = "camunda" | "zeebe";

/** Operaton is Camunda 7 under another name: a file may hold the words of both. */
const SPACES = [CAMUNDA, "http://operaton.org/schema/1.0/bpmn"];

export interface Moddle {
  $type: string;
  $attrs: Record<string, unknown>;
  $parent?: Moddle;
  id?: string;
  name?: string;
  get(name: string): unknown;
  [key: string]: unknown;
}

export interface Shape {
  id: string;
  type: string;
  businessObject: Moddle;
  labelTarget?: Shape;
}

interface Modeling {
  updateProperties(element: Shape, changes: Record<string, unknown>): void;
  updateModdleProperties(
    element: Shape,
    of: Moddle,
    changes: Record<string, unknown>,
  ): void;
}

interface Ids {
  assigned(id: string): unknown;
  nextPrefixed(prefix: string, element: Moddle): string;
}

export interface Factory {
  create(type: string, properties: Record<string, unknown>): Moddle;
  createAny(type: string, space: string, properties: Record<string, unknown>): Moddle;
  ids: Ids;
}

export interface Services {
  get(name: string): unknown;
}

export class Pen {
  constructor(
    private readonly services: Services,
    readonly element: Shape,
  ) {}

  get about(): Moddle {
    return this.element.businessObject;
  }

  is(...types: string[]): boolean {
    return types.includes(this.about.$type);
  }

  set(changes: Record<string, unknown>): void {
    this.#modeling.updateProperties(this.element, changes);
  }

  setOf(part: Moddle, changes: Record<string, unknown>): void {
    this.#modeling.updateModdleProperties(this.element, part, changes);
  }

  create(type: string, properties: Record<string, unknown>, parent: Moddle): Moddle {
    const made = this.#factory.create(type, properties);
    made.$parent = parent;
    return made;
  }

  idIsFree(id: string): boolean {
    return !this.#factory.ids.assigned(id);
  }

  // -- extensions -------------------------------------------------------------------

  attribute(name: string, of: Moddle = this.about): string {
    const value = this.#words(name).map((word) => of.$attrs[word]).find(Boolean);
    return typeof value === "string" ? value : "";
  }

  setAttribute(name: string, value: string, of: Moddle = this.about): void {
    this.setAttributes({ [name]: value }, of);
  }

  /** Each in one word, the one that stands there if there is one. */
  setAttributes(
    values: Record<string, string>,
    of: Moddle = this.about,
    dialect: Dialect = "camunda",
  ): void {
    const changes: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(values)) {
      const words = this.#words(name, dialect);
      const there = words.filter((word) => of.$attrs[word] !== undefined);
      for (const word of there) changes[word] = undefined;
      changes[there[0] ?? words[0] ?? name] = value === "" ? undefined : value;
    }
    this.setOf(of, changes);
  }

  /** An attribute in the words of one dialect. */
  word(dialect: Dialect, name: string): string {
    const value = this.#words(name, dialect).map((word) => this.about.$attrs[word]).find(Boolean);
    return typeof value === "string" ? value : "";
  }

  setWords(dialect: Dialect, values: Record<string, string>): void {
    const said = Object.entries(values).filter(([name, value]) => this.word(dialect, name) !== value);
    if (said.length) this.setAttributes(Object.fromEntries(said), this.about, dialect);
  }

  /** Whether an extension element is the one of this name. */
  means(one: Moddle, name: string, dialect: Dialect = "camunda"): boolean {
    return this.#words(name, dialect).includes(one.$type);
  }

  extension(name: string, dialect: Dialect = "camunda"): Moddle | undefined {
    return this.extensions().find((one) => this.means(one, name, dialect));
  }

  setExtension(
    name: string,
    properties: Record<string, unknown> | null,
    dialect: Dialect = "camunda",
  ): void {
    const others = this.extensions().filter((one) => !this.means(one, name, dialect));
    const made = properties === null ? [] : [this.any(name, properties, dialect)];
    this.setExtensions([...others, ...made]);
  }

  setExtensions(values: Moddle[]): void {
    const holder = values.length
      ? this.create("bpmn:ExtensionElements", { values }, this.about)
      : undefined;
    for (const value of values) if (holder) value.$parent = holder;
    this.set({ extensionElements: holder });
  }

  any(name: string, properties: Record<string, unknown>, dialect: Dialect = "camunda"): Moddle {
    const [prefix, space] = this.#prefixes(dialect)[0] ?? ["camunda", CAMUNDA];
    return this.#factory.createAny(`${prefix}:${name}`, space, properties);
  }

  /** Settings of Camunda 8 are kept; theirs and ours must not be mixed. */
  get speaksCamunda8(): boolean {
    return this.extensions().some((one) => one.$type.startsWith("zeebe:"));
  }

  // -- what is declared beside the processes --------------------------------------

  /** A message, signal, error or escalation by its name or code, made if need be. */
  declared(type: string, by: string, value: string): Moddle {
    const file = this.#definitions();
    const known = (file.get("rootElements") as Moddle[]).find(
      (one) => one.$type === type && one.get(by) === value,
    );
    if (known) return known;
    const made = this.create(type, { name: value, [by]: value }, file);
    const prefix = type.replace("bpmn:", "");
    made.id = this.#factory.ids.nextPrefixed(`${prefix}_`, made);
    this.setOf(file, { rootElements: [...(file.get("rootElements") as Moddle[]), made] });
    return made;
  }

  extensions(): Moddle[] {
    const holder = this.about["extensionElements"] as Moddle | undefined;
    return (holder?.["values"] as Moddle[] | undefined) ?? [];
  }

  #definitions(): Moddle {
    let at: Moddle = this.about;
    while (at.$parent) at = at.$parent;
    return at;
  }

  /** As the file may write it: prefixes differ, the first is used for what is new. */
  #words(name: string, dialect: Dialect = "camunda"): string[] {
    return this.#prefixes(dialect).map(([prefix]) => `${prefix}:${name}`);
  }

  #prefixes(dialect: Dialect): [string, string][] {
    const { $attrs } = this.#definitions();
    const declared = Object.entries($attrs).filter(([name]) => name.startsWith("xmlns:"));
    const spaces = dialect === "zeebe" ? [ZEEBE] : SPACES;
    const found = spaces.flatMap((space) =>
      declared
        .filter(([, value]) => value === space)
        .map(([name]): [string, string] => [name.slice(6), space]),
    );
    if (found.length) return found;
    const space = dialect === "zeebe" ? ZEEBE : CAMUNDA;
    $attrs[`xmlns:${dialect}`] = space;
    return [[dialect, space]];
  }

  get #modeling(): Modeling {
    return this.services.get("modeling") as Modeling;
  }

  get #factory(): Factory {
    return this.services.get("moddle") as Factory;
  }
}
