/**
 * Draws a form: bpmn.io's editor with the fields of ours, kept as a draft after every
 * change, checked, and shown beside it as workers will see it on their tablets.
 */
import { FormEditor } from "@bpmn-io/form-js-editor";
import { enhanceForm } from "./fields/index.js";
import { ourFields } from "./modelling/form_fields.js";
import { post } from "./posting.js";
import { t } from "./texts.js";

interface Finding {
  element: string;
  name: string;
  reason: string;
  refuses: boolean;
}

const SOON_MS = 700;

function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

class Editor {
  readonly #root = part("form-editor");
  readonly #state = part("form-state");
  readonly #preview = part("form-preview");
  readonly #values = part("values") as HTMLTextAreaElement;
  readonly #key = this.#root.dataset["key"] ?? "";
  readonly #editor = new FormEditor({
    container: part("form-stage"),
    additionalModules: [ourFields],
  });
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unsaved = false;
  #changes = 0;
  #saving: Promise<boolean> = Promise.resolve(true);

  async open(): Promise<void> {
    const schema = JSON.parse(part("form-schema").textContent) as object;
    try {
      await this.#editor.importSchema(schema);
    } catch (failure) {
      this.#state.textContent = t("The form cannot be shown: {why}", { why: String(failure) });
      return;
    }
    this.#editor.on("changed", () => this.#changed());
    this.#values.addEventListener("change", () => void this.#keep(false));
    const review = part("form-deploy") as HTMLFormElement;
    review.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#keep(true).then((kept) => {
        this.#unsaved = !kept;
        if (kept) review.submit();
      });
    });
    addEventListener("beforeunload", (event) => {
      if (this.#unsaved) event.preventDefault();
    });
    await this.#keep(false);
    this.#root.dataset["ready"] = "true";
  }

  #changed(): void {
    this.#unsaved = true;
    this.#changes += 1;
    this.#state.textContent = t("Not saved yet");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#keep(true), SOON_MS);
  }

  #keep(keep: boolean): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#saving = this.#saving.then(() => this.#send(keep));
    return this.#saving;
  }

  async #send(keep: boolean): Promise<boolean> {
    const changes = this.#changes;
    const drawn = this.#editor.saveSchema() as Record<string, unknown>;
    const schema = { ...drawn, id: this.#key };
    const { status, said } = await post(this.#root.dataset["keep"] ?? "", {
      schema,
      values: this.#values.value,
      keep,
    });
    if (status !== 200) {
      const why = typeof said["detail"] === "string" ? said["detail"] : t("no connection");
      this.#state.textContent = t("Not saved: {why}", { why });
      return false;
    }
    if (changes === this.#changes) {
      this.#unsaved = false;
      if (keep) this.#state.textContent = t("Saved as your draft");
    }
    this.#show(said["findings"] as Finding[], said["preview"] as string);
    return true;
  }

  #show(findings: Finding[], preview: string): void {
    part("form-count").textContent = String(findings.length);
    part("form-findings").replaceChildren(
      ...findings.map(({ element, name, reason, refuses }) => {
        const line = document.createElement("li");
        line.className = `model-finding${refuses ? " model-finding-bad" : ""}`;
        const text = document.createElement("p");
        const where = name || element;
        text.textContent = `${where ? `${where}: ` : ""}${reason}`;
        line.append(text);
        return line;
      }),
    );
    // Our own server has rendered and escaped it.
    const parsed = new DOMParser().parseFromString(preview, "text/html");
    this.#preview.replaceChildren(...parsed.body.childNodes);
    enhanceForm(this.#preview);
  }
}

void new Editor().open();
