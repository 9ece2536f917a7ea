// Codes of suppliers hold more than a lot: GS1 element strings. What a field wants of
// them is the lot (10), else the serial number of a container (00) or a place (414).

const WANTED = ["10", "00", "21", "414", "254"];
const SEPARATOR = "\u001d";
/** Application identifiers whose values have no separator behind them. */
const FIXED: Record<string, number> = {
  ...{ "00": 18, "01": 14, "02": 14, "03": 14, "04": 16, "20": 2 },
  ...{ "11": 6, "12": 6, "13": 6, "14": 6, "15": 6, "16": 6, "17": 6, "18": 6, "19": 6 },
};
const SYMBOLOGY = /^\](?:C1|d2|Q3|e0)/;

/** The part that a field wants; a code that is no GS1 stays what it is. */
export function plainCode(code: string): string {
  const found = code.startsWith("(") ? inBrackets(code) : inOrder(code);
  const wanted = WANTED.find((identifier) => found?.has(identifier));
  return wanted === undefined ? code : found!.get(wanted)!;
}

function inBrackets(code: string): Map<string, string> | null {
  if (!/^(?:\(\d{2,4}\)[^()]+)+$/.test(code)) return null;
  return new Map(
    [...code.matchAll(/\((\d{2,4})\)([^()]+)/g)].map((part) => [part[1]!, part[2]!]),
  );
}

function inOrder(code: string): Map<string, string> | null {
  if (!SYMBOLOGY.test(code) && !code.includes(SEPARATOR)) return null;
  const found = new Map<string, string>();
  let rest = code.replace(SYMBOLOGY, "");
  while (rest !== "") {
    if (rest.startsWith(SEPARATOR)) {
      rest = rest.slice(1);
      continue;
    }
    const identifier = identifierOf(rest);
    if (identifier === null) return null;
    rest = rest.slice(identifier.length);
    const length = lengthOf(identifier) ?? (rest + SEPARATOR).indexOf(SEPARATOR);
    if (rest.length < length || length === 0) return null;
    found.set(identifier, rest.slice(0, length));
    rest = rest.slice(length);
  }
  return found;
}

function identifierOf(rest: string): string | null {
  const two = rest.slice(0, 2);
  if (!/^\d\d$/.test(two)) return null;
  if (/^3[1-6]/.test(two)) return rest.slice(0, 4);
  if (/^(?:4[0-2]|2[45])/.test(two)) return rest.slice(0, 3);
  return two;
}

function lengthOf(identifier: string): number | undefined {
  if (/^3[1-6]/.test(identifier)) return 6;
  if (/^41/.test(identifier)) return 13;
  return FIXED[identifier];
}
