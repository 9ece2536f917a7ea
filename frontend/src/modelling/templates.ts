// Element templates of Camunda Modeler: their fields are shown instead of the settings
// that they fill, and what is typed lands where their bindings say.

import { t } from "../texts.js";
import type { Field, Group } from "./fields.js";
import type { Moddle, Pen } from "./moddle.js";

type Value = string | boolean | number;

interface Binding {
  type: string;
  name?: string;
  property?: string;
  source?: string;
  sourceExpression?: string;
  target?: string;
  expression?: boolean;
  variables?: string;
  event?: string;
  scriptFormat?: string;
  key?: string;
}

interface Condition {
  property?: string;
  equals?: Value;
  oneOf?: Value[];
  isActive?: boolean;
  allMatch?: Condition[];
}

interface Property {
  id?: string;
  label?: string;
  type?: string;
  value?: Value;
  generatedValue?: unknown;
  description?: string;
  editable?: boolean;
  optional?: boolean;
  feel?: string;
  choices?: { name: string; value: string }[];
  constraints?: {
    notEmpty?: boolean;
    minLength?: number;
    maxLength?: number;
    pattern?: string | { value: string; message?: string };
  };
  condition?: Condition;
  binding: Binding;
}

export interface Template {
  id: string;
  name: string;
  version?: number;
  description?: string;
  appliesTo: string[];
  elementType?: { value: string };
  properties: Property[];
}

const NAMED = ["camunda", "zeebe"] as const;

/** The newest version of each template that fits a kind of element. */
export function offered(templates: Template[], type: string): Template[] {
  const newest = new Map<string, Template>();
  for (const one of templates) {
    const before = newest.get(one.id);
    if (before === undefined || (before.version ?? 0) < (one.version ?? 0)) newest.set(one.id, one);
  }
  const kinds = kindsOf(type);
  return [...newest.values()].filter(
    (one) => one.elementType?.value === type || one.appliesTo.some((kind) => kinds.includes(kind)),
  );
}

function kindsOf(type: string): string[] {
  const kinds = [type, "bpmn:FlowNode", "bpmn:FlowElement"];
  if (/Task$/.test(type)) kinds.push("bpmn:Task", "bpmn:Activity");
  if (/^bpmn:(CallActivity|SubProcess)$/.test(type)) kinds.push("bpmn:Activity");
  if (type.endsWith("Event")) kinds.push("bpmn:Event");
  return kinds;
}

/** What an element says of its template: id and version. */
function marks(pen: Pen): { id: string; version: number; dialect: string } | null {
  for (const dialect of NAMED) {
    const id = pen.word(dialect, "modelerTemplate");
    if (id) return { id, version: Number(pen.word(dialect, "modelerTemplateVersion") || 0), dialect };
  }
  return null;
}

export function appliedTo(pen: Pen, templates: Template[]): Template | null {
  const mark = marks(pen);
  if (mark === null) return null;
  return (
    templates.find((one) => one.id === mark.id && (one.version ?? 0) === mark.version) ?? null
  );
}

/** The group of the template; ``change`` turns the element into another kind first. */
export function templateGroups(
  pen: Pen,
  templates: Template[],
  change: (template: Template) => Pen,
): Group[] {
  const fits = offered(templates, pen.about.$type);
  const mark = marks(pen);
  const applied = appliedTo(pen, templates);
  if (fits.length === 0 && mark === null) return [];
  const choices: [string, string][] = [["", t("none")]];
  if (mark && applied === null)
    choices.push([keyOf(mark), t("{name} (not deployed here)", { name: mark.id })]);
  if (applied && !fits.includes(applied)) choices.push([keyOf(applied), applied.name]);
  choices.push(...fits.map((one): [string, string] => [keyOf(one), one.name]));
  const chosen: Field = {
    label: t("Template"),
    kind: "choice",
    choices,
    read: () => {
      const now = marks(pen);
      return now ? keyOf(now) : "";
    },
    write: (value) => {
      if (value === "") unlink(pen);
      const template = fits.find((one) => keyOf(one) === value);
      if (template) apply(change(template), template);
      return null;
    },
  };
  if (applied?.description) chosen.hint = applied.description;
  const fields = applied ? fieldsOf(pen, applied) : [];
  return [{ title: t("Template"), fields: [chosen, ...fields] }];
}

function keyOf({ id, version }: { id: string; version?: number }): string {
  return `${id}\n${String(version ?? 0)}`;
}

function unlink(pen: Pen): void {
  const gone: Record<string, string> = {};
  for (const word of ["modelerTemplate", "modelerTemplateVersion", "modelerTemplateIcon"])
    gone[word] = "";
  for (const dialect of NAMED) pen.setWords(dialect, gone);
}

function dialectOf(template: Template): (typeof NAMED)[number] {
  const zeebe = template.properties.some((one) => one.binding.type.startsWith("zeebe:"));
  return zeebe ? "zeebe" : "camunda";
}

function apply(pen: Pen, template: Template): void {
  unlink(pen);
  pen.setWords(dialectOf(template), {
    modelerTemplate: template.id,
    modelerTemplateVersion: template.version === undefined ? "" : String(template.version),
  });
  fill(pen, template, true);
}

/** Writes what is hidden or missing, and takes away what has no meaning any more. */
function fill(pen: Pen, template: Template, fresh: boolean): void {
  // A condition may hang on a value that another one brings.
  for (let turn = 0; turn < 2; turn += 1)
    for (const one of template.properties) {
      if (!holds(pen, template, one.condition)) {
        if (!boundElsewhere(pen, template, one)) write(pen, one.binding, null);
        continue;
      }
      const there = read(pen, one.binding);
      const hidden = one.type === "Hidden" || one.editable === false;
      if (there !== null && !(fresh && hidden)) continue;
      const value = one.generatedValue ? crypto.randomUUID() : textOf(one.value);
      put(pen, one, value);
    }
}

function boundElsewhere(pen: Pen, template: Template, one: Property): boolean {
  const binding = JSON.stringify(one.binding);
  return template.properties.some(
    (other) =>
      other !== one &&
      JSON.stringify(other.binding) === binding &&
      holds(pen, template, other.condition),
  );
}

function textOf(value: Value | undefined): string {
  return value === undefined ? "" : String(value);
}

function holds(pen: Pen, template: Template, condition: Condition | undefined): boolean {
  if (condition === undefined) return true;
  if (condition.allMatch) return condition.allMatch.every((one) => holds(pen, template, one));
  const asked = template.properties.filter((one) => one.id === condition.property);
  const active = asked.find((one) => one.condition === undefined || holds(pen, template, one.condition));
  if (condition.isActive !== undefined) return (active !== undefined) === condition.isActive;
  if (active === undefined) return false;
  const value = read(pen, active.binding) ?? textOf(active.value);
  if (condition.oneOf) return condition.oneOf.map(String).includes(value);
  return value === textOf(condition.equals);
}

function fieldsOf(pen: Pen, template: Template): Field[] {
  return template.properties
    .filter((one) => one.type !== "Hidden" && holds(pen, template, one.condition))
    .map((one) => fieldOf(pen, template, one));
}

function fieldOf(pen: Pen, template: Template, one: Property): Field {
  const { type } = one;
  const field: Field = {
    label: one.label ?? one.binding.name ?? one.binding.type,
    kind: type === "Text" ? "text" : type === "Dropdown" || type === "Boolean" ? "choice" : "line",
    read: () => read(pen, one.binding) ?? "",
    write: (given) => {
      const value = one.type === "Text" ? given : given.trim();
      const wrong = broken(one, value);
      if (wrong !== null) return wrong;
      put(pen, one, value);
      fill(pen, template, false);
      return null;
    },
  };
  if (type === "Boolean")
    field.choices = [
      ["true", t("Yes")],
      ["false", t("No")],
    ];
  if (type === "Dropdown") {
    field.choices = (one.choices ?? []).map(({ name, value }) => [value, name]);
    if (!one.constraints?.notEmpty) field.choices.unshift(["", ""]);
  }
  const hint = [one.description, one.constraints?.notEmpty ? t("Must be given.") : ""];
  field.hint = hint.filter(Boolean).join(" ");
  if (one.editable === false) field.fixed = true;
  return field;
}

function broken({ constraints = {}, optional }: Property, value: string): string | null {
  const { notEmpty, minLength, maxLength, pattern } = constraints;
  if (value === "") return notEmpty && !optional ? t("Must be given.") : null;
  if (minLength !== undefined && value.length < minLength)
    return t("At least {n} characters.", { n: String(minLength) });
  if (maxLength !== undefined && value.length > maxLength)
    return t("At most {n} characters.", { n: String(maxLength) });
  if (pattern === undefined) return null;
  const { value: text, message = "" } = typeof pattern === "string" ? { value: pattern } : pattern;
  try {
    if (new RegExp(text, "u").test(value)) return null;
  } catch {
    return null; // no pattern that a browser knows
  }
  return message || t("Does not look like {pattern}.", { pattern: text });
}

function put(pen: Pen, one: Property, value: string): void {
  const needsSign = one.feel === "required" && value !== "" && !value.startsWith("=");
  const left = value === "" && (one.optional === true || !KEPT_EMPTY.includes(one.binding.type));
  write(pen, one.binding, left ? null : needsSign ? `=${value}` : value);
}

/** An empty input is an input all the same; an empty attribute is none. */
const KEPT_EMPTY = ["camunda:inputParameter", "zeebe:input", "camunda:property"];

// -- where a binding leads ---------------------------------------------------------------

interface Entry {
  dialect: (typeof NAMED)[number];
  holder: string | null; // the element around it
  word: string;
  by: Record<string, string>;
  value: string; // the attribute, or $body
  more?: Record<string, string>;
}

function entryOf(binding: Binding): Entry | null {
  const { name = "", source = "", key = "", target = "" } = binding;
  switch (binding.type) {
    case "camunda:property":
      return entry("camunda", "properties", "property", { name }, "value");
    case "camunda:inputParameter":
      return entry("camunda", "inputOutput", "inputParameter", { name }, "$body");
    case "camunda:outputParameter":
      return entry("camunda", "inputOutput", "outputParameter", { $body: source }, "name");
    case "camunda:in":
      if (binding.variables) return entry("camunda", null, "in", { variables: "all" }, "variables");
      return entry("camunda", null, "in", { target }, binding.expression ? "sourceExpression" : "source");
    case "camunda:in:businessKey":
      return entry("camunda", null, "in", {}, "businessKey");
    case "camunda:out":
      if (binding.variables) return entry("camunda", null, "out", { variables: "all" }, "variables");
      if (binding.sourceExpression)
        return entry("camunda", null, "out", { sourceExpression: binding.sourceExpression }, "target");
      return entry("camunda", null, "out", { source }, "target");
    case "zeebe:input":
      return entry("zeebe", "ioMapping", "input", { target: name }, "source");
    case "zeebe:output":
      return entry("zeebe", "ioMapping", "output", { source }, "target");
    case "zeebe:taskHeader":
      return entry("zeebe", "taskHeaders", "header", { key }, "value");
    case "zeebe:property":
      return entry("zeebe", "properties", "property", { name }, "value");
    default:
      return null;
  }
}

function entry(
  dialect: Entry["dialect"],
  holder: string | null,
  word: string,
  by: Record<string, string>,
  value: string,
): Entry {
  return { dialect, holder, word, by, value };
}

function read(pen: Pen, binding: Binding): string | null {
  const { type } = binding;
  if (type === "property") return readProperty(pen, binding.name ?? "");
  if (type === "camunda:executionListener") {
    const found = listener(pen, binding);
    const script = (found?.["$children"] as Moddle[] | undefined)?.[0];
    return script ? asText(script["$body"]) : null;
  }
  const place = entryOf(binding);
  if (place) {
    const found = among(pen, place).find((one) => isIt(pen, place, one));
    return found ? asText(found[place.value]) : null;
  }
  const [word, property] = wordOf(binding);
  const whole = pen.extension(word, "zeebe");
  if (type === "zeebe:userTask") return whole ? "true" : null;
  const value = whole?.[property];
  return value === undefined ? null : asText(value);
}

function write(pen: Pen, binding: Binding, value: string | null): void {
  const { type } = binding;
  if (read(pen, binding) === value) return;
  if (type === "property") return writeProperty(pen, binding.name ?? "", value);
  if (type === "camunda:executionListener") return writeListener(pen, binding, value);
  const place = entryOf(binding);
  if (place) return writeEntry(pen, place, value);
  const [word, property] = wordOf(binding);
  if (type === "zeebe:userTask")
    return pen.setExtension(word, value === "true" ? {} : null, "zeebe");
  const whole = attributesOf(pen.extension(word, "zeebe"), property);
  if (value !== null) whole[property] = value;
  pen.setExtension(word, Object.keys(whole).length ? whole : null, "zeebe");
}

function wordOf({ type, property }: Binding): [string, string] {
  const [, word = "", part] = type.split(":");
  return [word, part ?? property ?? ""];
}

function attributesOf(whole: Moddle | undefined, without: string): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(whole ?? {}))
    if (name !== without && (!name.startsWith("$") || name === "$body" || name === "$children"))
      kept[name] = value;
  return kept;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "boolean" ? String(value) : "";
}

function among(pen: Pen, { dialect, holder }: Entry): Moddle[] {
  if (holder === null) return pen.extensions();
  return (pen.extension(holder, dialect)?.["$children"] as Moddle[] | undefined) ?? [];
}

function isIt(pen: Pen, { dialect, word, by, value }: Entry, one: Moddle): boolean {
  if (!pen.means(one, word, dialect)) return false;
  const names = Object.entries(by);
  if (names.length === 0) return one[value] !== undefined;
  return names.every(([name, text]) => asText(one[name]) === text);
}

function writeEntry(pen: Pen, place: Entry, value: string | null): void {
  const { dialect, holder, word, by } = place;
  const all = among(pen, place);
  const old = all.find((one) => isIt(pen, place, one));
  const properties = { ...by, [place.value]: value ?? "" };
  const made = value === null ? [] : [pen.any(word, properties, dialect)];
  const at = old ? all.indexOf(old) : all.length;
  const next = [...all.slice(0, at), ...made, ...all.slice(old ? at + 1 : at)];
  if (holder === null) return pen.setExtensions(next);
  pen.setExtension(holder, next.length ? { $children: next } : null, dialect);
}

function listener(pen: Pen, { event }: Binding): Moddle | undefined {
  return pen
    .extensions()
    .find((one) => pen.means(one, "executionListener") && asText(one["event"]) === event);
}

function writeListener(pen: Pen, binding: Binding, value: string | null): void {
  const old = listener(pen, binding);
  const others = pen.extensions().filter((one) => one !== old);
  if (value === null) return pen.setExtensions(others);
  const { event = "", scriptFormat = "" } = binding;
  const script = pen.any("script", { scriptFormat, $body: value });
  pen.setExtensions([...others, pen.any("executionListener", { event, $children: [script] })]);
}

function readProperty(pen: Pen, name: string): string | null {
  const [dialect, word] = name.split(":");
  if (word !== undefined && (dialect === "camunda" || dialect === "zeebe"))
    return pen.word(dialect, word) || null;
  const value = pen.about[name];
  if (name === "conditionExpression")
    return value ? asText((value as Moddle)["body"]) : null;
  return value === undefined ? null : asText(value) || null;
}

function writeProperty(pen: Pen, name: string, value: string | null): void {
  const [dialect, word] = name.split(":");
  if (word !== undefined && (dialect === "camunda" || dialect === "zeebe"))
    return pen.setWords(dialect, { [word]: value ?? "" });
  if (name === "conditionExpression") {
    const made = value ? pen.create("bpmn:FormalExpression", { body: value }, pen.about) : undefined;
    return pen.set({ conditionExpression: made });
  }
  const isBoolean = typeof pen.about[name] === "boolean";
  pen.set({ [name]: value === null ? undefined : isBoolean ? value === "true" : value });
}
