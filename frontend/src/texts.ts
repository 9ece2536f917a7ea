// Texts in the reader's language. The key is the English sentence, and the page brings
// the translations of the keys that its scripts use: keys must be literal.

type Values = Record<string, string | number>;

let catalogue: Record<string, string> | undefined;

function load(): Record<string, string> {
  const source = document.getElementById("texts")?.textContent;
  return source ? (JSON.parse(source) as Record<string, string>) : {};
}

export function t(key: string, values: Values = {}): string {
  catalogue ??= load();
  return (catalogue[key] ?? key).replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in values ? String(values[name]) : whole,
  );
}

export function language(): string {
  return document.documentElement.lang || "en";
}

export function formatNumber(value: number, digits = 2): string {
  return new Intl.NumberFormat(language(), { maximumFractionDigits: digits }).format(
    value,
  );
}

export function formatKg(value: number): string {
  return `${formatNumber(value, 3)} kg`;
}
