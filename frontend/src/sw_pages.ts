// Which pages a tablet may keep, and what a page says about itself.

const UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const KEPT = new RegExp(`^/tasks(/${UUID})?$`);
// Another person, nobody, or the same one in another language.
const PERSON_CHANGES = /^\/(login|logout|language|demo\/worker)\b/;
// In a page, or where one script imports another.
const STATIC = /(?:\/static\/|["']\.\/)([\w-]+-[0-9a-f]{10}\.\w+)/g;
// Large, and not for workers: the diagram viewer is for leaders.
const NOT_NEEDED = /^\/static\/diagram-/;

export function isKept(path: string): boolean {
  return KEPT.test(path);
}

export function changesPerson(method: string, path: string): boolean {
  return method !== "GET" && PERSON_CHANGES.test(path);
}

/** Whom the server made this page for; "" for nobody, undefined if it does not say. */
export function personOf(html: string): string | undefined {
  const tag = /<meta\s[^>]*name="?person\b[^>]*>/.exec(html)?.[0];
  if (tag) return /content="([^"]*)"/.exec(tag)?.[1] ?? "";
  return /<html[^>]*\sdata-role=/.test(html) ? undefined : "";
}

/** Its name changes with its content. */
export function isHashed(path: string): boolean {
  return /-[0-9a-f]{10}\.\w+$/.test(path);
}

/** Scripts, styles and images under /static that this text names. */
export function filesOf(text: string): string[] {
  const urls = Array.from(text.matchAll(STATIC), ([, name]) => `/static/${name!}`);
  return [...new Set(urls)].filter((url) => !NOT_NEEDED.test(url));
}

/** Images of the page that come from elsewhere on this server. */
export function imagesOf(html: string): string[] {
  const found = html.matchAll(/<img\s[^>]*\bsrc="(\/(?!static\/|\/)[^"]*)"/g);
  return [...new Set(Array.from(found, ([, url]) => url!.replaceAll("&amp;", "&")))];
}
