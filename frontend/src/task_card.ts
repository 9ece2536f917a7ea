// One task on a tablet: claim, go, the form's cards, confirm. What is confirmed goes
// through the outbox, so the network decides only when it arrives.

import { Drafts } from "./drafts.js";
import { checkAnswers, enhanceForm, readAnswers, writeAnswers } from "./fields/index.js";
import { answerOf, newKey, sendOrKeep, type Result } from "./outbox.js";
import { post } from "./posting.js";
import { keepPromise, startPromise } from "./promise.js";
import { startScale } from "./scale.js";
import { Stepper, type Step } from "./stepper.js";
import { fillSummary } from "./summary.js";
import { startTimer } from "./task_timer.js";
import { t } from "./texts.js";

const UNDO_S = 60;

function textOf(said: Record<string, unknown>): string {
  const found = said["message"] ?? said["error"] ?? said["detail"];
  return typeof found === "string" ? found : t("That did not work.");
}

function note(where: string, text: string): void {
  const box = document.querySelector<HTMLElement>(where);
  if (!box) return;
  box.textContent = text;
  box.hidden = text === "";
}

/** What is left when a task is done: one word, one button. */
function showEnd(
  form: HTMLElement,
  kind: "ok" | "warn",
  title: string,
  text = "",
  next?: unknown,
): void {
  const end = document.createElement("section");
  end.className = `card task-end task-end-${kind}`;
  end.tabIndex = -1;
  const heading = document.createElement("h2");
  heading.textContent = title;
  const explained = document.createElement("p");
  explained.textContent = text;
  const onward = document.createElement("a");
  onward.className = "button button-primary button-big button-wide";
  onward.href =
    typeof next === "string" && next ? next : (form.dataset["list"] ?? "/tasks");
  onward.textContent = t("Next task");
  end.append(heading, ...(text ? [explained] : []), onward);
  form.replaceWith(end);
  for (const gone of document.querySelectorAll("#undo, #problem, #task-state"))
    gone.remove();
  end.focus();
}

function showResult(form: HTMLElement, { state, message, reply }: Result): void {
  if (state === "sent") showEnd(form, "ok", t("Done"), "", reply?.["next"]);
  else if (state === "kept")
    showEnd(
      form,
      "ok",
      t("Done"),
      t("Kept on this tablet. It is sent as soon as the network is back."),
    );
  else if (state === "conflict")
    showEnd(
      form,
      "warn",
      t("The supervisor decides."),
      [message, t("Nothing of what you entered is lost.")].filter(Boolean).join(". "),
    );
  else note("[data-answer-note]", message ?? t("That did not work."));
}

function startUndo(seconds: number): void {
  const box = document.querySelector<HTMLFormElement>("#undo");
  const left = box?.querySelector("[data-undo-left]");
  if (!box || !left || seconds <= 0) return;
  const over = Date.now() + seconds * 1000;
  box.hidden = false;
  const timer = setInterval(tick, 500);
  function tick(): void {
    const rest = Math.ceil((over - Date.now()) / 1000);
    left!.textContent = String(Math.max(0, rest));
    if (rest > 0) return;
    clearInterval(timer);
    box!.hidden = true;
  }
  tick();
}

/** False if somebody else has it. Without network one goes on all the same. */
async function claim(form: HTMLFormElement, task: string): Promise<boolean> {
  const state = form.dataset["claimed"];
  if (state === "mine" || state === "leader") return true;
  if (state === "taken") {
    location.assign(form.dataset["list"] ?? "/tasks");
    return false;
  }
  const { status, said } = await post(`/tasks/${task}/claim`, {});
  if (status === 401) location.reload();
  if (status >= 400) {
    note("[data-claim-note]", textOf(said));
    return false;
  }
  form.dataset["claimed"] = "mine";
  if (status > 0) startUndo(UNDO_S);
  return true;
}

function startProblem(form: HTMLFormElement, task: string): void {
  const dialog = document.querySelector<HTMLDialogElement>("#problem");
  const inside = dialog?.querySelector<HTMLFormElement>("[data-problem-form]");
  if (!dialog || !inside) return;
  for (const opener of document.querySelectorAll("[data-problem-open]"))
    opener.addEventListener("click", (event) => {
      event.preventDefault();
      dialog.showModal();
    });
  dialog.querySelector("[data-problem-close]")?.addEventListener("click", (event) => {
    event.preventDefault();
    dialog.close();
  });
  inside.addEventListener("submit", (event) => {
    event.preventDefault();
    const said = new FormData(inside);
    const text = (name: string): string => {
      const value = said.get(name);
      return typeof value === "string" ? value : "";
    };
    void report(form, task, text("code"), text("note"));
  });
}

async function report(
  form: HTMLFormElement,
  task: string,
  code: string,
  text: string,
): Promise<void> {
  const { instance, name = "", order = "" } = form.dataset;
  const body = { code, note: text, instance };
  const { status, said } = await post(`/tasks/${task}/problem`, body);
  if (status > 0 && status < 300) {
    showEnd(form, "warn", t("Reported"), textOf(said));
    return;
  }
  if (status > 0) {
    note("[data-problem-note]", textOf(said));
    return;
  }
  const kept = await sendOrKeep({ kind: "problem", task, taskName: name, order, body });
  if (kept.state === "refused") note("[data-problem-note]", kept.message ?? "");
  else
    showEnd(
      form,
      "warn",
      t("Reported"),
      t("Kept on this tablet. It is sent as soon as the network is back."),
    );
}

async function fillDrafts(form: HTMLFormElement, drafts: Drafts): Promise<void> {
  const typed = readAnswers(form);
  const keys = JSON.parse(form.dataset["drafts"] ?? "[]") as string[];
  const server = Object.fromEntries(keys.map((key) => [key, { value: typed[key] }]));
  writeAnswers(form, await drafts.load(server));
}

export async function startTaskCard(form: HTMLFormElement): Promise<void> {
  const task = form.dataset["taskForm"] ?? "";
  const { instance, name = "", order = "" } = form.dataset;
  const drafts = new Drafts(task);
  const key = newKey(); // one page, one confirmation
  startPromise(form);
  enhanceForm(form, { onChange: (field, value) => void drafts.save(field, value) });

  const stepper = new Stepper(form, {
    async leave(step: Step): Promise<boolean> {
      if (step.kind === "claim") {
        const mine = await claim(form, task);
        if (mine) stepper.drop("claim");
        return false; // the card is gone, the next one is shown
      }
      if (step.kind !== "form") return true;
      keepPromise(form);
      const wrong = checkAnswers(step.element).at(0);
      if (wrong) focusField(step.element, wrong.key);
      return !wrong;
    },
    enter(step: Step): void {
      if (step.kind === "confirm") fillSummary(form);
      note("[data-answer-note]", "");
    },
    async finish(): Promise<void> {
      keepPromise(form);
      const wrong = checkAnswers(form).at(0);
      if (wrong) {
        const field = form.querySelector(`[data-field="${CSS.escape(wrong.key)}"]`);
        if (field) stepper.showStepOf(field);
        focusField(form, wrong.key);
        return;
      }
      const body = { answers: readAnswers(form), instance };
      const result = await sendOrKeep({
        key,
        kind: "answer",
        task,
        taskName: name,
        order,
        body,
      });
      if (result.state !== "refused") await drafts.clear();
      showResult(form, result);
    },
  });
  startProblem(form, task);
  startTimer();
  startUndo(Number(document.querySelector<HTMLElement>("#undo")?.dataset["undoS"]));
  const given = await answerOf(task);
  if (given)
    showResult(form, {
      state: given.state === "waiting" ? "kept" : given.state,
      ...(given.message === undefined ? {} : { message: given.message }),
    });
  else {
    await fillDrafts(form, drafts);
    startScale(form);
  }
}

function focusField(root: ParentNode, key: string): void {
  const field = root.querySelector(`[data-field="${CSS.escape(key)}"]`);
  field?.querySelector<HTMLElement>("input, select, textarea, button")?.focus();
}
