/**
 * Plays the past of an instance: one slider moves the diagram and the map together.
 * The map is loaded when somebody opens the replay, not before.
 */
import type { FloorMap } from "./map/floor_map.js";
import type { InstanceDiagram } from "../instance_diagram.js";
import { guessedAt, marksAt, moments, type Past, robotsAt, SPEEDS, speedFor, until } from "./replay_past.js";
import { language, t } from "../texts.js";

const MAP_MS = 100;

class Replay extends HTMLElement {
  #past: Past | null = null;
  #moments: number[] = [];
  #map: FloorMap | null = null;
  #ms = 0;
  #speed = 1;
  #playing = false;
  #tickAt = 0;
  #marked = "";
  #mapAt = 0;

  connectedCallback(): void {
    this.#part("open").addEventListener("click", () => void this.#toggle());
    this.#part("play").addEventListener("click", () => this.#play(!this.#playing));
    this.#part("back").addEventListener("click", () => this.#step(-1));
    this.#part("next").addEventListener("click", () => this.#step(1));
    this.#slider().addEventListener("input", () => this.#go(Number(this.#slider().value)));
    this.#slider().addEventListener("keydown", (event) => this.#key(event));
    this.#speeds().addEventListener("change", () => (this.#speed = Number(this.#speeds().value)));
    if (new URLSearchParams(location.search).has("replay")) void this.#toggle();
  }

  #part(name: string): HTMLElement {
    const found = this.querySelector<HTMLElement>(`[data-replay="${name}"]`);
    if (found === null) throw new Error(`the replay has no ${name}`);
    return found;
  }

  #slider(): HTMLInputElement {
    return this.#part("slider") as HTMLInputElement;
  }

  #speeds(): HTMLSelectElement {
    return this.#part("speed") as HTMLSelectElement;
  }

  #diagram(): InstanceDiagram | null {
    return document.querySelector<InstanceDiagram>("mpms-instance-diagram");
  }

  async #toggle(): Promise<void> {
    if (this.#past !== null) return this.#close();
    const answer = await fetch(this.getAttribute("src") ?? "").catch(() => null);
    if (answer?.ok !== true) {
      this.#part("note").textContent = t("The past cannot be loaded now. Try again in a moment.");
      return;
    }
    this.#past = (await answer.json()) as Past;
    this.#open(this.#past);
    await this.#showMap();
    this.#mapAt = 0;
    this.#go(this.#ms);
  }

  #open(past: Past): void {
    document.body.classList.add("replaying");
    this.#moments = moments(past);
    this.#part("open").setAttribute("aria-expanded", "true");
    this.#part("open-text").textContent = t("Back to now");
    this.#part("controls").hidden = false;
    this.#speed = speedFor(past.length_ms);
    this.#speeds().replaceChildren(
      ...SPEEDS.map((speed) => new Option(`${speed}×`, String(speed), false, speed === this.#speed)),
    );
    const slider = this.#slider();
    slider.max = String(past.length_ms);
    this.#part("note").textContent = past.cut ? t("Only the beginning is shown: there is too much of it.") : "";
    this.#go(0);
    slider.focus();
  }

  #close(): void {
    this.#play(false);
    this.#past = null;
    this.#marked = "";
    document.body.classList.remove("replaying");
    this.#part("open").setAttribute("aria-expanded", "false");
    this.#part("open-text").textContent = t("Replay");
    this.#part("controls").hidden = true;
    this.#part("note").textContent = "";
    this.#floor()?.setAttribute("hidden", "");
    void this.#diagram()?.replay(null);
  }

  #floor(): HTMLElement | null {
    return document.querySelector<HTMLElement>("#replay-floor");
  }

  async #showMap(): Promise<void> {
    const floor = this.#floor();
    if (floor === null || this.#past === null || Object.keys(this.#past.tracks).length === 0) return;
    floor.removeAttribute("hidden");
    const stage = floor.querySelector<HTMLElement>(".replay-stage");
    if (this.#map !== null || stage === null) return;
    const { mountMap } = await import("./map/floor_map.js");
    this.#map = await mountMap(stage, { compact: true, still: true });
  }

  #key(event: KeyboardEvent): void {
    const act: Record<string, () => void> = {
      ArrowRight: () => this.#step(1),
      ArrowUp: () => this.#step(1),
      ArrowLeft: () => this.#step(-1),
      ArrowDown: () => this.#step(-1),
      PageUp: () => this.#go(this.#ms + (this.#past?.length_ms ?? 0) / 10),
      PageDown: () => this.#go(this.#ms - (this.#past?.length_ms ?? 0) / 10),
      " ": () => this.#play(!this.#playing),
    };
    const found = act[event.key];
    if (found === undefined) return;
    event.preventDefault();
    found();
  }

  #step(way: 1 | -1): void {
    this.#play(false);
    const list = this.#moments;
    const next = way > 0 ? list.find((ms) => ms > this.#ms) : [...list].reverse().find((ms) => ms < this.#ms);
    if (next !== undefined) this.#go(next);
  }

  #play(on: boolean): void {
    if (on && this.#past !== null && this.#ms >= this.#past.length_ms) this.#go(0);
    if (on === this.#playing) return;
    this.#playing = on;
    const button = this.#part("play");
    button.setAttribute("aria-label", on ? t("Pause") : t("Play"));
    button.classList.toggle("replay-plays", on);
    if (!on) return;
    this.#tickAt = performance.now();
    requestAnimationFrame((at) => this.#tick(at));
  }

  #tick(at: number): void {
    if (!this.#playing || this.#past === null) return;
    const on = Math.max(0, at - this.#tickAt) * this.#speed;
    this.#tickAt = at;
    this.#go(this.#ms + on);
    if (this.#ms >= this.#past.length_ms) this.#play(false);
    else requestAnimationFrame((later) => this.#tick(later));
  }

  /** Everything that shows a time shows this one. */
  #go(wanted: number): void {
    const past = this.#past;
    if (past === null) return;
    this.#ms = Math.min(Math.max(Math.round(wanted), 0), past.length_ms);
    const slider = this.#slider();
    slider.value = String(this.#ms);
    const clock = new Date(Date.parse(past.began_at) + this.#ms).toLocaleTimeString(language());
    const happened = past.told[until(past.told, this.#ms) - 1]?.[1] ?? "";
    slider.setAttribute("aria-valuetext", happened ? `${clock}, ${happened}` : clock);
    this.#part("time").textContent = clock;
    this.#part("told").textContent = happened;
    this.#part("guess").hidden = !guessedAt(past, this.#ms);
    this.dataset["ms"] = String(this.#ms);
    const shown = `${until(past.moves, this.#ms)} ${past.drives.filter(({ from }) => from <= this.#ms).length}`;
    if (shown !== this.#marked || this.#ms === past.length_ms) {
      this.#marked = shown;
      void this.#diagram()?.replay(marksAt(past, this.#ms));
    }
    const now = performance.now();
    if (this.#map === null || (this.#playing && now - this.#mapAt < MAP_MS)) return;
    this.#mapAt = now;
    this.#map.take({ robots: robotsAt(past, this.#ms), people: [] });
  }
}

customElements.define("mpms-replay", Replay);
