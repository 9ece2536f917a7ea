// The conditions of forms on the tablet, with the answers of the server's FEEL: held to
// them by tests/data/form_conditions.json. Trees come parsed from the server.

export type Expression = [string, ...unknown[]];
export type Names = Record<string, unknown>;

const MISSING_NAMES = new Set(["__proto__", "constructor", "prototype"]);

/** What makes FEEL fail: the whole expression is null then. */
class Fault extends Error {}

/** The value of a tree, as the FEEL of the server has it. */
export function evaluate(tree: Expression, names: Names): unknown {
  try {
    return valueOf(tree, names);
  } catch (fault) {
    if (fault instanceof Fault) return null;
    throw fault;
  }
}

function valueOf(tree: Expression, names: Names): unknown {
  const [kind, ...parts] = tree;
  if (kind === "is") return parts[0];
  if (kind === "get") return lookUp(names, parts as string[]);
  const trees = parts as Expression[];
  if (kind === "and" || kind === "or") return connected(kind === "or", trees, names);
  const [left, right] = trees.map((part) => valueOf(part, names));
  if (kind === "not") return left === null ? null : !truth(left);
  if (kind === "count") return left === null ? null : listOf(left).length;
  if (kind === "contains") return contains(left, right);
  if (kind === "list contains")
    return left === null ? null : listOf(left).some((item) => equal(item, right) === true);
  if (kind === "=") return equal(left, right);
  if (kind === "!=") return negated(equal(left, right));
  return compare(kind, left, right);
}

/** `and`, `or` with null as the third answer; the first that decides ends it. */
function connected(decides: boolean, trees: Expression[], names: Names): boolean | null {
  let answer: boolean | null = !decides;
  for (const tree of trees) {
    const value = valueOf(tree, names);
    if (value === null) answer = null;
    else if (truth(value) === decides) return decides;
  }
  return answer;
}

function truth(value: unknown): boolean {
  if (typeof value !== "boolean") throw new Fault();
  return value;
}

function negated(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function lookUp(names: unknown, path: string[]): unknown {
  let value = names;
  for (const [at, name] of path.entries()) {
    if (Array.isArray(value)) return value.map((item) => lookUp(item, path.slice(at)));
    if (isNull(value) || MISSING_NAMES.has(name)) return null;
    if (typeof value !== "object") throw new Fault();
    if (!Object.hasOwn(value as object, name)) return null;
    value = (value as Names)[name];
  }
  return value ?? null;
}

/** Equal in kind and value; of two kinds null, and only null equals null. */
function equal(left: unknown, right: unknown): boolean | null {
  if (isNull(left) || isNull(right)) return isNull(left) && isNull(right);
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right)) return null;
    return (
      left.length === right.length &&
      left.every((item, at) => equal(item, right[at]) === true)
    );
  }
  if (typeof left !== typeof right) return null;
  if (typeof left !== "object") return left === right;
  const [one, other] = [left as Names, right as Names];
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && equal(one[key], other[key]) === true)
  );
}

function contains(whole: unknown, part: unknown): boolean | null {
  if (isNull(whole) || isNull(part)) return null;
  if (typeof whole !== "string" || typeof part !== "string") throw new Fault();
  return whole.includes(part);
}

function compare(sign: string, left: unknown, right: unknown): boolean | null {
  if (isNull(left) || isNull(right)) return null;
  const order = orderOf(left, right);
  if (sign === "<" || sign === "<=") return order < 0 || (sign === "<=" && order === 0);
  return order > 0 || (sign === ">=" && order === 0);
}

/** Texts by code points, as the server orders them, not by UTF-16. */
function orderOf(left: unknown, right: unknown): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left !== "string" || typeof right !== "string") throw new Fault();
  const [one, other] = [Array.from(left), Array.from(right)];
  for (const [at, sign] of one.entries()) {
    if (at >= other.length) return 1;
    const apart = sign.codePointAt(0)! - other[at]!.codePointAt(0)!;
    if (apart !== 0) return apart;
  }
  return one.length - other.length;
}

export function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}
