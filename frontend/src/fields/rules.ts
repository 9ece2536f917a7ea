// The rules of forms on the tablet: the same as mpms/domain/forms/checking.py, held to
// it by tests/data/form_rules.json. Pure: no page, no clock. The server decides.

import { evaluate, type Expression, isNull, type Names } from "./conditions.js";

export { evaluate, type Expression, type Names };

export interface Field {
  key: string;
  type: string;
  label?: string;
  required?: boolean;
  readonly?: Expression;
  hide?: Expression[];
  choices?: Expression;
  min?: Expression;
  max?: Expression;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  patternHint?: string;
  validationType?: "email" | "phone";
  expected?: Expression;
  decimalDigits?: number;
  subtype?: "date" | "time" | "datetime";
  disallowPassed?: boolean;
  target?: Expression;
  tolerance_kg?: Expression;
  tolerance_percent?: Expression;
  allowOutside?: boolean;
  maxBytes?: number;
}

export interface Problem {
  key: string;
  reason: string;
  values: Record<string, string | number>;
}

export interface Checked {
  accepted: Names;
  problems: Problem[];
}

type Found = [reason: string, values?: Record<string, string | number>] | null;

const MAX_TEXT = 10_000;
const MAX_MATCHED_TEXT = 200;
const MAX_IMAGE_BYTES = 4 << 20;
const SLACK_KG = 1e-9;
const EMAIL = /^[^@ \t\r\n]{1,64}@[^@ \t\r\n.]{1,63}(\.[^@ \t\r\n.]{1,63}){1,8}$/u;
const PHONE = /^\+?[0-9][0-9 ()/.-]{3,24}$/u;
const IMAGE = /^data:image\/(?:jpeg|png|webp);base64,[A-Za-z0-9+/]+={0,2}$/;
const UNKEEPABLE = /[\0\p{Cs}]/u;
const DAY = "\\d{4}-\\d\\d-\\d\\d";
const CLOCK = "(?:[01]\\d|2[0-3]):[0-5]\\d";
const OFFSET = `(?:Z|[+-]${CLOCK})?`;
const SHAPES = {
  date: new RegExp(`^${DAY}$`),
  time: new RegExp(`^${CLOCK}${OFFSET}$`),
  datetime: new RegExp(`^${DAY}T${CLOCK}${OFFSET}$`),
};
const MOMENT_SIZE = { date: 10, time: 5, datetime: 16 };
const NO_MOMENT = {
  date: "must be a date.",
  time: "must be a time.",
  datetime: "must be a date with a time.",
};
const KEEPS_EMPTY = new Set(["textfield", "textarea", "scan", "checklist", "taglist"]);

export function isNumber(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= 1e15;
}

function same(left: unknown, right: unknown): boolean {
  if (typeof left === "boolean" || typeof right === "boolean") return left === right;
  if (isNumber(left) && isNumber(right)) return left === right;
  if (typeof left === "string" && typeof right === "string") return left === right;
  return isNull(left) && isNull(right);
}

export function isEmpty(value: unknown): boolean {
  return isNull(value) || value === "" || (Array.isArray(value) && value.length === 0);
}

export function isHidden(field: Field, names: Names): boolean {
  return (field.hide ?? []).some((tree) => evaluate(tree, names) === true);
}

/** What conditions may refer to: variables, and over them what is typed in. */
export function visibleNames(fields: Field[], answers: Names, variables: Names): Names {
  const names: Names = { ...variables };
  for (const { key } of fields)
    names[key] = Object.hasOwn(answers, key) ? answers[key] : null;
  return names;
}

/** ``today`` as 2026-11-16; without it no date is too early. */
export function checkForm(
  fields: Field[],
  answers: Names,
  variables: Names = {},
  today?: string,
): Checked {
  const names = visibleNames(fields, answers, variables);
  const accepted: Names = {};
  const problems: Problem[] = [];
  for (const field of fields) {
    if (isHidden(field, names)) {
      names[field.key] = null;
      continue;
    }
    if (field.readonly && evaluate(field.readonly, names) === true) continue;
    const value = Object.hasOwn(answers, field.key) ? answers[field.key] : null;
    const found = checkField(field, value, names, today);
    if (found) problems.push({ key: field.key, reason: found[0], values: found[1] ?? {} });
    else if (!isEmpty(value) || (!isNull(value) && KEEPS_EMPTY.has(field.type)))
      accepted[field.key] = value;
  }
  return { accepted, problems };
}

export function checkField(
  field: Field,
  value: unknown,
  names: Names,
  today?: string,
): Found {
  const empty = field.type === "checkbox" ? value !== true : isEmpty(value);
  if (empty && field.required) return ["please fill this in."];
  if (isEmpty(value)) return null;
  switch (field.type) {
    case "checkbox":
      return typeof value === "boolean" ? null : ["must be yes or no."];
    case "number":
      return checkNumber(field, value, names);
    case "weigh":
      return checkWeight(field, value, names);
    case "select":
    case "radio":
      return isChoice(field, value, names) ? null : ["is not one of the choices."];
    case "checklist":
    case "taglist":
      return checkChoices(field, value, names);
    case "datetime":
      return checkMoment(field, value, names, today);
    case "photo":
      return checkPhoto(field, value);
    case "signature":
      return typeof value === "string" && !value.startsWith("data:")
        ? checkText({ key: "", type: "", minLength: 2, maxLength: 100 }, value, {})
        : checkPhoto(field, value);
    default:
      return checkText(field, value, names);
  }
}

function numberAt(tree: Expression | undefined, names: Names): number | null {
  const value = tree ? evaluate(tree, names) : null;
  return isNumber(value) ? value : null;
}

function checkNumber(field: Field, value: unknown, names: Names): Found {
  if (!isNumber(value)) return ["must be a number."];
  const digits = field.decimalDigits;
  if (digits !== undefined && Number(value.toFixed(digits)) !== value)
    return ["must have at most {digits} decimals.", { digits }];
  const least = numberAt(field.min, names);
  const most = numberAt(field.max, names);
  if (least !== null && value < least) return ["must be at least {limit}.", { limit: least }];
  if (most !== null && value > most) return ["must be at most {limit}.", { limit: most }];
  return null;
}

/** Target and tolerance in kg, as far as they are known. */
export function weighLimits(
  field: Field,
  names: Names,
): { target: number | null; tolerance: number | null } {
  const target = numberAt(field.target, names);
  const percent = numberAt(field.tolerance_percent, names);
  const tolerance =
    percent !== null && target !== null
      ? (Math.abs(target) * percent) / 100
      : numberAt(field.tolerance_kg, names);
  return { target, tolerance };
}

function checkWeight(field: Field, value: unknown, names: Names): Found {
  const found = checkNumber(field, value, names);
  if (found || !isNumber(value)) return found;
  if (value < 0) return ["must be at least {limit}.", { limit: 0 }];
  const { target, tolerance } = weighLimits(field, names);
  if (target === null || tolerance === null || field.allowOutside) return null;
  const off = Math.round(Math.abs(target - value) * 1000) / 1000;
  if (value < target - tolerance - SLACK_KG)
    return ["{amount} kg too little.", { amount: off }];
  if (value > target + tolerance + SLACK_KG)
    return ["{amount} kg too much.", { amount: off }];
  return null;
}

function checkText(field: Field, value: unknown, names: Names): Found {
  if (typeof value !== "string") return ["must be text."];
  if (UNKEEPABLE.test(value)) return ["has characters that cannot be kept."];
  const length = Array.from(value).length; // code points, as the server counts
  let most = field.maxLength ?? MAX_TEXT;
  if (field.pattern !== undefined) most = Math.min(most, MAX_MATCHED_TEXT);
  if (length > most) return ["must be at most {limit} characters.", { limit: most }];
  const least = field.minLength ?? 0;
  if (length < least) return ["must be at least {limit} characters.", { limit: least }];
  if (field.validationType === "email" && !EMAIL.test(value))
    return ["must be an e-mail address."];
  if (field.validationType === "phone" && !PHONE.test(value))
    return ["must be a telephone number."];
  if (field.pattern !== undefined && !new RegExp(field.pattern, "u").test(value))
    return field.patternHint
      ? ["must look like this: {hint}.", { hint: field.patternHint }]
      : ["does not have the right form."];
  const expected = field.expected ? evaluate(field.expected, names) : null;
  if (typeof expected === "string" && expected !== "" && value.trim() !== expected)
    return ["wrong code; {expected} is expected.", { expected }];
  return null;
}

function isChoice(field: Field, value: unknown, names: Names): boolean {
  const listed = field.choices ? evaluate(field.choices, names) : [];
  if (!Array.isArray(listed)) return false;
  return listed.some((one: unknown) => {
    const whole = typeof one === "object" && one !== null && !Array.isArray(one);
    return !isNull(value) && same(value, whole ? (one as Names).value : one);
  });
}

function checkChoices(field: Field, value: unknown, names: Names): Found {
  if (!Array.isArray(value)) return ["must be a list of choices."];
  for (const [index, item] of value.entries()) {
    if (!isChoice(field, item, names)) return ["is not one of the choices."];
    if (value.slice(0, index).some((other) => same(item, other)))
      return ["names a choice twice."];
  }
  return null;
}

function isMoment(subtype: "date" | "time" | "datetime", value: unknown): value is string {
  if (typeof value !== "string" || !SHAPES[subtype].test(value)) return false;
  if (subtype === "time") return true;
  const [year, month, day] = value.slice(0, 10).split("-").map(Number) as [
    number,
    number,
    number,
  ];
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= days[month - 1]!;
}

function checkMoment(field: Field, value: unknown, names: Names, today?: string): Found {
  const subtype = field.subtype ?? "date";
  if (!isMoment(subtype, value)) return [NO_MOMENT[subtype]];
  if (field.disallowPassed && today && subtype !== "time" && value.slice(0, 10) < today)
    return ["must not lie in the past."];
  const size = MOMENT_SIZE[subtype];
  const least = field.min ? evaluate(field.min, names) : null;
  if (isMoment(subtype, least) && value.slice(0, size) < least.slice(0, size))
    return ["must not be before {limit}.", { limit: least }];
  const most = field.max ? evaluate(field.max, names) : null;
  if (isMoment(subtype, most) && value.slice(0, size) > most.slice(0, size))
    return ["must not be after {limit}.", { limit: most }];
  return null;
}

function checkPhoto(field: Field, value: unknown): Found {
  if (typeof value !== "string" || !IMAGE.test(value))
    return ["must be a picture (JPEG, PNG or WebP)."];
  const limit = field.maxBytes ?? MAX_IMAGE_BYTES;
  const bytes = Math.floor(((value.length - value.indexOf(",") - 1) * 3) / 4);
  if (bytes > limit + 2)
    return ["must be at most {limit} MB.", { limit: Math.round((limit / (1 << 20)) * 10) / 10 }];
  return null;
}
