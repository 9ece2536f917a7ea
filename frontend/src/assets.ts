// Hashed addresses of what is loaded later: the scanner, the diagram, the worker.

let addresses: Record<string, string> | undefined;

export function assetUrl(name: string): string {
  const source = document.querySelector<HTMLMetaElement>("meta[name=assets]")?.content;
  addresses ??= JSON.parse(source ?? "{}") as Record<string, string>;
  const found = addresses[name];
  if (found === undefined) throw new Error(`The page does not name ${name}`);
  return found;
}
