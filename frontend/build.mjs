// Bundles what exists of the entry points into ../mpms/web/static/dist.
//
//   node build.mjs                  all, skipped when no source has changed
//   node build.mjs --force          all, in any case
//   node build.mjs --only main,css  some, the rest of the manifest stays
//   node build.mjs --out DIR        elsewhere
//
// Names carry a hash of the content, so browsers may keep them for ever. The stamp is
// computed in the same way by hatch_build.py, which skips Node when it matches.

import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as esbuild from "esbuild";
import { notices, packageOf } from "./notices.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));

// Pages load these as modules; what two of them share becomes a chunk of its own.
const MODULES = [
  "main",
  "login",
  "passkeys",
  "home",
  "tasks",
  "orders",
  "schedule",
  "map",
  "wall",
  "scanner",
  "diagram",
  "cockpit",
  "cockpit_diagram",
  "instance",
  "replay",
  "incidents",
  "batches",
  "experiments",
  "figures",
  "fleet",
  "floor_editor",
  "models",
  "model_editor",
  "form_editor",
  "admin",
  "api_docs",
];
// Not loaded as modules. The service worker comes last: it lists all other files.
const SCRIPTS = ["theme", "live_worker"];
// Every page has main.css and what base.html adds: tablets on bad Wi-Fi load no more.
const SHEETS = {
  "main.css": ["tokens", "base", "components", "offline"],
  "login.css": ["login"],
  "home.css": ["home", "alarms", "map"],
  "tasks.css": ["tasks"],
  "forms.css": ["task", "forms"],
  "orders.css": ["orders", "alarms"],
  "schedule.css": ["schedule"],
  "map.css": ["map"],
  "wall.css": ["wall"],
  "design.css": ["design"],
  "cockpit.css": ["home", "cockpit"],
  "cockpit_instance.css": ["orders", "map", "cockpit_instance", "replay"],
  "incidents.css": ["incidents", "alarms"],
  "batches.css": ["batches"],
  "experiments.css": ["experiments"],
  "vehicles.css": ["vehicles"],
  "last_mile.css": ["last_mile"],
  "figures.css": ["figures"],
  "fleet.css": ["fleet"],
  "floor_editor.css": ["floor_editor"],
  "models.css": ["models"],
  "model_editor.css": ["model_editor"],
  "form_editor.css": ["form_editor"],
  "admin.css": ["admin"],
  "api.css": ["api"],
};
const WASM = { "zxing_reader.wasm": "zxing-wasm/dist/reader/zxing_reader.wasm" };
// Icons of the modeller are letters of this font; styles cannot name a hashed file.
const FONTS = { "bpmn_font.woff2": "bpmn-js/dist/assets/bpmn-font/font/bpmn.woff2" };
const STAMPED_DIRECTORIES = ["src", "static", "styles"];
const STAMPED_FILES = [
  ".npmrc",
  "build.mjs",
  "notices.mjs",
  "package-lock.json",
  "package.json",
  "tsconfig.json",
];
// Not part of the shell that tablets keep offline: only large or leaders' pages use it.
const NOT_IN_SHELL = new Set([
  "api.css",
  "api_docs.js",
  "admin.css",
  "admin.js",
  "batches.css",
  "batches.js",
  "cockpit.css",
  "cockpit.js",
  "cockpit_diagram.js",
  "cockpit_instance.css",
  "design.css",
  "diagram.js",
  "floor_editor.css",
  "floor_editor.js",
  "experiments.css",
  "experiments.js",
  "figures.css",
  "figures.js",
  "fleet.css",
  "fleet.js",
  "incidents.css",
  "incidents.js",
  "instance.js",
  "model_editor.css",
  "model_editor.js",
  "form_editor.css",
  "form_editor.js",
  "models.css",
  "models.js",
  "replay.js",
  "scanner.js",
  "wall.css",
  "wall.js",
  "bpmn_font.woff2",
  "zxing_reader.wasm",
]);

const { values: options } = parseArgs({
  options: {
    force: { type: "boolean", default: false },
    only: { type: "string" },
    out: { type: "string", default: path.join(HERE, "../mpms/web/static/dist") },
  },
});
const OUT = path.resolve(options.out);

function sourceStamp() {
  const files = STAMPED_FILES.filter((name) => fs.existsSync(path.join(HERE, name)));
  for (const directory of STAMPED_DIRECTORIES) {
    const root = path.join(HERE, directory);
    if (!fs.existsSync(root)) continue;
    for (const found of fs.readdirSync(root, { recursive: true, withFileTypes: true }))
      if (found.isFile()) {
        const inside = path.relative(HERE, path.join(found.parentPath, found.name));
        files.push(inside.split(path.sep).join("/"));
      }
  }
  const hash = createHash("sha256");
  for (const name of files.sort())
    hash.update(`${name}\0`).update(fs.readFileSync(path.join(HERE, name))).update("\0");
  return hash.digest("hex");
}

function shortHash(content) {
  return createHash("sha256").update(content).digest("hex").slice(0, 10);
}

function readJson(name, otherwise) {
  const file = path.join(OUT, name);
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : otherwise;
}

function isThere(name, directory = OUT) {
  return fs.existsSync(path.join(directory, name));
}

// A server may read while we write.
function write(name, content) {
  const draft = path.join(OUT, `.${name}.${process.pid}`);
  fs.writeFileSync(draft, content);
  fs.renameSync(draft, path.join(OUT, name));
}

function keep(manifest, logical, content) {
  const { name, ext } = path.parse(logical);
  const hashed = `${name}-${shortHash(content)}${ext}`;
  if (!isThere(hashed)) write(hashed, content);
  manifest[logical] = hashed;
}

// Our pages forbid eval. Its mere presence keeps every name in htmx long: 3 kB.
const withoutEval = {
  name: "without-eval",
  setup(build) {
    build.onLoad({ filter: /htmx\.esm\.js$/ }, ({ path: file }) => {
      const source = fs.readFileSync(file, "utf8");
      const contents = source.replace("return eval(str)", "return undefined");
      if (contents === source) throw new Error(`${file} has changed: where is its eval?`);
      return { contents, loader: "js" };
    });
  },
};

// Our pages forbid style elements; what the text editors of form settings draw themselves
// with goes into a style sheet that a script holds.
const withoutStyleElements = {
  name: "without-style-elements",
  setup(build) {
    build.onLoad({ filter: /style-mod\.js$/ }, ({ path: file }) => {
      const source = fs.readFileSync(file, "utf8");
      const contents = source.replace("if (!root.head && root.adopted", "if (root.adopted");
      if (contents === source) throw new Error(`${file} has changed: where is its style?`);
      return { contents, loader: "js" };
    });
  },
};

// The form editor wants an older preact than the modeller; its viewer must use the same.
const onePreactForForms = {
  name: "one-preact-for-forms",
  setup(build) {
    build.onResolve({ filter: /^preact(\/|$)/ }, ({ path: name, importer, kind, pluginData }) => {
      if (pluginData === "forms" || !importer.includes("form-js-")) return undefined;
      const resolveDir = path.join(HERE, "node_modules/@bpmn-io/form-js-editor");
      return build.resolve(name, { resolveDir, kind, pluginData: "forms" });
    });
  },
};

const settings = {
  absWorkingDir: HERE,
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  legalComments: "none",
  target: ["chrome100", "firefox115", "safari16"],
  loader: { ".svg": "dataurl" },
  logLevel: "silent",
  outdir: OUT,
  plugins: [withoutEval, withoutStyleElements, onePreactForForms],
};

// One file by itself: its content and what went into it.
async function bundle(file, more) {
  const { outputFiles, metafile } = await esbuild.build({
    ...settings,
    entryPoints: [file],
    ...more,
  });
  return { content: outputFiles[0].contents, inputs: Object.keys(metafile.inputs) };
}

async function bundleSheet(parts) {
  const there = parts.filter((name) => isThere(`${name}.css`, path.join(HERE, "styles")));
  const contents = there.map((name) => `@import "./styles/${name}.css";`).join("\n");
  const { outputFiles } = await esbuild.build({
    ...settings,
    stdin: { contents, loader: "css", resolveDir: HERE },
  });
  return outputFiles[0].contents;
}

// Pages of the core have their scripts in src, those of the factory in src/factory.
function sourceOf(name) {
  const inside = [`src/${name}.ts`, `src/factory/${name}.ts`];
  return inside.find((file) => fs.existsSync(path.join(HERE, file)));
}

// Modules together, so that they share chunks. esbuild hashes content and imports; its
// hash is spelt anew to look like all our names.
async function bundleModules(names) {
  const { outputFiles, metafile } = await esbuild.build({
    ...settings,
    entryPoints: names.map(sourceOf),
    format: "esm",
    splitting: true,
    entryNames: "[name]-[hash]",
    chunkNames: "chunk-[hash]",
  });
  const respelt = (text) =>
    text.replace(/\b(\w+)-([0-9A-Z]{8})\.js\b/g, (whole, name, hash) =>
      known.has(whole) ? `${name}-${shortHash(hash)}.js` : whole,
    );
  const known = new Set(outputFiles.map((one) => path.basename(one.path)));
  const files = new Map(
    outputFiles.map((one) => [respelt(path.basename(one.path)), respelt(one.text)]),
  );
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([file, about]) => [
      respelt(path.basename(file)),
      {
        entry: about.entryPoint && path.parse(about.entryPoint).name,
        inputs: Object.keys(about.inputs),
        imports: about.imports.map((one) => ({
          file: respelt(path.basename(one.path)),
          later: one.kind === "dynamic-import",
        })),
      },
    ]),
  );
  return { files, outputs };
}

// A file and all that it imports; at once, or also later.
function withImports(outputs, file, later, found = new Set()) {
  if (found.has(file) || !outputs.has(file)) return found;
  found.add(file);
  for (const imported of outputs.get(file).imports)
    if (later || !imported.later) withImports(outputs, imported.file, later, found);
  return found;
}

// Which texts scripts show, and which others they load: pages send no more.
function textsAndLoads(inputs) {
  const texts = new Set();
  const loads = new Set();
  for (const input of inputs.filter((name) => name.startsWith("src/"))) {
    const source = fs.readFileSync(path.join(HERE, input), "utf8");
    for (const [, quoted] of source.matchAll(/\bt\(\s*("(?:[^"\\\n]|\\.)*")/g))
      texts.add(JSON.parse(quoted));
    for (const [, name] of source.matchAll(/\bassetUrl\(\s*"(\w+)\.js"/g)) loads.add(name);
  }
  return { texts: [...texts].sort(), loads: [...loads].sort() };
}

function explain(name, failure) {
  const messages = failure.errors ?? [{ text: String(failure.stack ?? failure) }];
  for (const { text, location } of messages) {
    const where = location ? ` (${location.file}:${location.line})` : "";
    console.error(`${name}: ${text}${where}`);
  }
}

async function build(only) {
  fs.mkdirSync(OUT, { recursive: true });
  const partial = only !== null;
  const manifest = partial ? readJson("manifest.json", {}) : {};
  const browser = partial ? readJson("browser.json", {}) : {};
  const packages = new Set(partial ? readJson("packages.json", []) : []);
  const failed = [];
  const wanted = (name) => only === null || only.includes(name);

  const attempt = async (file, work) => {
    try {
      return await work();
    } catch (failure) {
      failed.push(file);
      explain(file, failure);
      return null;
    }
  };
  const remember = (name, inputs, chunks = [], preload = []) => {
    browser[name] = { ...textsAndLoads(inputs), chunks, preload };
    for (const input of inputs) {
      const found = packageOf(input);
      if (found) packages.add(found);
    }
  };
  const script = async (name, more = {}) => {
    const file = sourceOf(name);
    if (!wanted(name) || !file) return;
    await attempt(file, async () => {
      const { content, inputs } = await bundle(file, { format: "iife", ...more });
      keep(manifest, `${name}.js`, content);
      remember(name, inputs);
    });
  };
  const modules = async (names) => {
    if (names.length === 0) return;
    const { files, outputs } = await bundleModules(names);
    for (const [file, text] of files) if (!isThere(file)) write(file, text);
    for (const [file, { entry }] of outputs) {
      if (!names.includes(entry)) continue;
      const all = [...withImports(outputs, file, true)];
      const atOnce = [...withImports(outputs, file, false)];
      manifest[`${entry}.js`] = file;
      remember(
        entry,
        all.flatMap((one) => outputs.get(one).inputs),
        all.filter((one) => one !== file).sort(),
        atOnce.filter((one) => one !== file).sort(),
      );
    }
  };

  const names = MODULES.filter((name) => wanted(name) && sourceOf(name));
  try {
    await modules(names);
  } catch {
    const sound = [];
    for (const name of names)
      if (await attempt(sourceOf(name), () => bundleModules([name]))) sound.push(name);
    await attempt("modules", () => modules(sound));
  }
  await Promise.all(SCRIPTS.map((name) => script(name)));
  if (wanted("css"))
    for (const [name, parts] of Object.entries(SHEETS))
      await attempt(`styles/${name}`, async () =>
        keep(manifest, name, await bundleSheet(parts)),
      );
  if (wanted("static"))
    for (const name of fs.readdirSync(path.join(HERE, "static")).sort())
      keep(manifest, name, fs.readFileSync(path.join(HERE, "static", name)));
  if (wanted("scanner") && manifest["scanner.js"])
    for (const [logical, file] of Object.entries(WASM)) {
      const found = path.join("node_modules", file);
      keep(manifest, logical, fs.readFileSync(path.join(HERE, found)));
      packages.add(packageOf(found));
    }

  if (wanted("model_editor") && manifest["model_editor.js"])
    for (const [logical, file] of Object.entries(FONTS))
      keep(
        manifest,
        logical,
        fs.readFileSync(path.join(HERE, "node_modules", file)),
      );

  const shell = shellOf(manifest, browser);
  await script("sw", {
    define: {
      __SHELL__: JSON.stringify(shell),
      __BUILD__: JSON.stringify(shortHash(shell.join("\n"))),
    },
  });

  const sorted = (record) => Object.fromEntries(Object.entries(record).sort());
  write("THIRD-PARTY-NOTICES.txt", notices(HERE, [...packages].sort()));
  write("packages.json", JSON.stringify([...packages].sort()));
  write("browser.json", JSON.stringify(sorted(browser)));
  write("manifest.json", JSON.stringify(sorted(manifest), null, 1));
  return { manifest, browser, failed };
}

// What a tablet keeps to open pages without network.
function shellOf(manifest, browser) {
  const files = new Set();
  for (const [logical, hashed] of Object.entries(manifest)) {
    if (logical === "sw.js" || NOT_IN_SHELL.has(logical)) continue;
    files.add(hashed);
    const about = logical.endsWith(".js") ? browser[path.parse(logical).name] : null;
    for (const chunk of about?.chunks ?? []) files.add(chunk);
  }
  return [...files].sort().map((name) => `/static/${name}`);
}

function sweep(manifest, browser) {
  const named = new Set([
    ...Object.values(manifest),
    ...Object.values(browser).flatMap((about) => about.chunks),
    ...["manifest.json", "browser.json", "packages.json", "THIRD-PARTY-NOTICES.txt"],
  ]);
  for (const name of fs.readdirSync(OUT))
    if (!named.has(name)) fs.rmSync(path.join(OUT, name), { force: true });
}

const only = options.only === undefined ? null : options.only.split(",");
const stamp = sourceStamp();
const stampFile = path.join(OUT, "stamp");
const unchanged =
  fs.existsSync(stampFile) && fs.readFileSync(stampFile, "utf8") === stamp;
if (only === null && unchanged && !options.force) {
  console.log("The pages are up to date.");
} else {
  fs.rmSync(stampFile, { force: true });
  const { manifest, browser, failed } = await build(only);
  if (failed.length > 0) {
    console.error(`Not built: ${failed.join(", ")}`);
    process.exit(1);
  }
  if (only === null) {
    sweep(manifest, browser);
    write("stamp", stamp);
  }
  console.log(`Built ${Object.values(manifest).sort().join(" ")}`);
}
