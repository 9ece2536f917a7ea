// The licences of what is bundled, as their authors ask to be named.

import * as fs from "node:fs";
import * as path from "node:path";

// Compiled into a package and not visible as a package of its own.
const INSIDE = {
  "zxing-wasm": "Contains zxing-cpp (Apache-2.0) compiled to WebAssembly.",
};

// "node_modules/@lit/reactive-element/x.js" -> "@lit/reactive-element"
export function packageOf(input) {
  const at = input.lastIndexOf("node_modules/");
  if (at < 0) return null;
  const [first, second] = input.slice(at + "node_modules/".length).split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}

function licenceText(directory) {
  const names = fs.readdirSync(directory).filter((name) => /^(licen[cs]e|copying)/i.test(name));
  return names
    .sort()
    .map((name) => fs.readFileSync(path.join(directory, name), "utf8").trim())
    .join("\n\n");
}

export function notices(root, packages) {
  const parts = packages.map((name) => {
    const directory = path.join(root, "node_modules", name);
    const about = JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8"));
    if (!about.license) throw new Error(`${name} declares no licence`);
    const author = typeof about.author === "object" ? about.author?.name : about.author;
    return [
      `${name} ${about.version} (${about.license.replace(/^\((.*)\)$/, "$1")})`,
      ...(INSIDE[name] ? [INSIDE[name]] : []),
      "",
      licenceText(directory) || `Copyright ${author ?? `the authors of ${name}`}`,
    ].join("\n");
  });
  const rule = `\n\n${"-".repeat(72)}\n\n`;
  return ["The pages contain these packages.", ...parts].join(rule) + "\n";
}
