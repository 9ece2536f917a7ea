// Which settings of an element our engine honours, and how each is read and written.

import { t } from "../texts.js";
import type { Moddle, Pen } from "./moddle.js";

export interface Field {
  label: string;
  kind: "line" | "text" | "choice";
  read(): string;
  /** Returns why it cannot be written. */
  write(value: string): string | null;
  choices?: [string, string][];
  list?: string; // of names that are deployed
  fixed?: boolean; // shown, not to be changed
  hint?: string;
}

export interface Group {
  title: string;
  fields: Field[];
}

const NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;
const KEPT = "…"; // a value that is more than text

function line(
  label: string,
  read: () => string,
  write: (value: string) => void,
  more: Partial<Field> = {},
): Field {
  const put = (value: string): null => {
    write(value.trim());
    return null;
  };
  return { label, kind: "line", read, write: put, ...more };
}

function attribute(pen: Pen, name: string, label: string, more: Partial<Field> = {}): Field {
  return line(
    label,
    () => pen.attribute(name),
    (value) => pen.setAttribute(name, value),
    more,
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function groupsOf(pen: Pen): Group[] {
  const groups = [general(pen), ...(pen.speaksCamunda8 ? [] : work(pen)), flow(pen)];
  groups.push(happening(pen), repetition(pen));
  if (!pen.speaksCamunda8) groups.push(values(pen));
  return groups.filter((group) => group.fields.length > 0);
}

// -- what every element has -----------------------------------------------------------

function general(pen: Pen): Group {
  const process = pen.about["processRef"] as Moddle | undefined;
  const fields = [
    line(t("Name"), () => textOf(pen.about.name), (name) => pen.set({ name: name || undefined })),
    idField(pen, t("Id"), pen.about, (id) => pen.set({ id })),
  ];
  if (process)
    fields.push(idField(pen, t("Id of the process"), process, (id) => pen.setOf(process, { id })));
  if (pen.is("bpmn:Process"))
    fields.push({
      label: t("Executable"),
      kind: "choice",
      choices: [
        ["true", t("yes")],
        ["false", t("no, a picture only")],
      ],
      read: () => (pen.about["isExecutable"] === true ? "true" : "false"),
      write: (value) => {
        pen.set({ isExecutable: value === "true" });
        return null;
      },
    });
  fields.push({
    ...line(
      t("Documentation"),
      () => textOf((pen.about["documentation"] as Moddle[] | undefined)?.[0]?.["text"]),
      (text) =>
        pen.set({
          documentation: text ? [pen.create("bpmn:Documentation", { text }, pen.about)] : [],
        }),
    ),
    kind: "text",
  });
  return { title: t("General"), fields };
}

function idField(pen: Pen, label: string, of: Moddle, put: (id: string) => void): Field {
  return {
    label,
    kind: "line",
    read: () => of.id ?? "",
    write: (value) => {
      const id = value.trim();
      if (id === of.id) return null;
      if (!NAME.test(id)) return t("An id begins with a letter and has no blanks.");
      if (!pen.idIsFree(id)) return t("Another element has this id.");
      put(id);
      return null;
    },
  };
}

// -- what is done at a step ------------------------------------------------------------

function work(pen: Pen): Group[] {
  const fields: Field[] = [];
  if (pen.is("bpmn:UserTask"))
    fields.push(
      attribute(pen, formWord(pen), t("Form"), { list: "forms" }),
      attribute(pen, "candidateGroups", t("Groups that may do it"), {
        hint: t("Separated by commas; empty: the lane says who."),
      }),
      attribute(pen, "assignee", t("Person who does it")),
      attribute(pen, "dueDate", t("Due"), {
        hint: t("An instant, a day, or a duration such as PT2H."),
      }),
      attribute(pen, "followUpDate", t("Shown to workers from")),
      attribute(pen, "priority", t("Priority"), { hint: t("A number, 50 where none is given.") }),
    );
  if (pen.is("bpmn:BusinessRuleTask"))
    fields.push(
      attribute(pen, "decisionRef", t("Decision"), { list: "decisions" }),
      attribute(pen, "resultVariable", t("Variable for the result")),
      {
        label: t("Result is taken as"),
        kind: "choice",
        choices: [
          ["", t("list of results")],
          ["singleEntry", t("one value")],
          ["singleResult", t("one result with its outputs")],
          ["collectEntries", t("list of values")],
          ["resultList", t("list of results")],
        ],
        read: () => pen.attribute("mapDecisionResult"),
        write: (value) => {
          pen.setAttribute("mapDecisionResult", value);
          return null;
        },
      },
    );
  if (pen.is("bpmn:ServiceTask", "bpmn:SendTask", "bpmn:BusinessRuleTask"))
    fields.push(
      line(
        t("Topic of the handler"),
        () => pen.attribute("topic"),
        (topic) =>
          pen.setAttributes({ type: topic ? "external" : "", topic }),
        { list: "topics" },
      ),
      line(
        t("Retries"),
        () => textOf(pen.extension("failedJobRetryTimeCycle")?.["$body"]),
        (text) =>
          pen.setExtension("failedJobRetryTimeCycle", text ? { $body: text } : null),
        { hint: t("For example R3/PT10S: three times, ten seconds apart.") },
      ),
      attribute(pen, "taskPriority", t("Priority"), {
        hint: t("A number; workers take a higher one first."),
      }),
    );
  if (pen.is("bpmn:ScriptTask"))
    fields.push(
      line(
        t("Language of the script"),
        () => textOf(pen.about["scriptFormat"]),
        (value) => pen.set({ scriptFormat: value || undefined }),
      ),
      {
        ...line(
          t("Script"),
          () => textOf(pen.about["script"]),
          (value) => pen.set({ script: value || undefined }),
        ),
        kind: "text",
      },
    );
  if (pen.is("bpmn:CallActivity"))
    fields.push(
      line(
        t("Process that is called"),
        () => textOf(pen.about["calledElement"]),
        (value) => pen.set({ calledElement: value || undefined }),
        { list: "processes" },
      ),
    );
  return [{ title: t("Work"), fields }];
}

function formWord(pen: Pen): string {
  return pen.attribute("formRef") ? "formRef" : "formKey";
}

// -- where it goes on ------------------------------------------------------------------

function flow(pen: Pen): Group {
  const fields: Field[] = [];
  if (pen.is("bpmn:SequenceFlow"))
    fields.push(
      expression(pen, t("Condition"), pen.about, "conditionExpression", {
        hint: t("For example ${weight_ok}; empty: always."),
      }),
    );
  return { title: t("Flow"), fields };
}

function expression(
  pen: Pen,
  label: string,
  of: Moddle,
  property: string,
  more: Partial<Field> = {},
): Field {
  return line(
    label,
    () => textOf((of[property] as Moddle | undefined)?.["body"]),
    (body) =>
      pen.setOf(of, {
        [property]: body ? pen.create("bpmn:FormalExpression", { body }, of) : undefined,
      }),
    more,
  );
}

// -- events ------------------------------------------------------------------------------

const REFERENCES: Record<string, [string, string, string, () => string]> = {
  "bpmn:MessageEventDefinition": ["messageRef", "bpmn:Message", "name", () => t("Message")],
  "bpmn:SignalEventDefinition": ["signalRef", "bpmn:Signal", "name", () => t("Signal")],
  "bpmn:ErrorEventDefinition": ["errorRef", "bpmn:Error", "errorCode", () => t("Error code")],
  "bpmn:EscalationEventDefinition": [
    "escalationRef",
    "bpmn:Escalation",
    "escalationCode",
    () => t("Escalation code"),
  ],
};

/** Where the editor finds names that other drawings use. */
const LISTS: Record<string, string> = {
  "bpmn:Message": "messages",
  "bpmn:Signal": "signals",
  "bpmn:Error": "errors",
  "bpmn:Escalation": "escalations",
};

function happening(pen: Pen): Group {
  const fields: Field[] = [];
  for (const trigger of (pen.about["eventDefinitions"] as Moddle[] | undefined) ?? []) {
    const known = REFERENCES[trigger.$type];
    if (known) fields.push(reference(pen, trigger, ...known));
    if (trigger.$type === "bpmn:TimerEventDefinition") fields.push(...timer(pen, trigger));
    if (trigger.$type === "bpmn:ConditionalEventDefinition")
      fields.push(expression(pen, t("Condition"), trigger, "condition"));
  }
  if (pen.is("bpmn:ReceiveTask", "bpmn:SendTask"))
    fields.push(
      reference(pen, pen.about, "messageRef", "bpmn:Message", "name", () => t("Message")),
    );
  return { title: t("Event"), fields };
}

function reference(
  pen: Pen,
  holder: Moddle,
  property: string,
  type: string,
  by: string,
  label: () => string,
): Field {
  return line(
    label(),
    () => textOf((holder[property] as Moddle | undefined)?.get(by)),
    (value) =>
      pen.setOf(holder, { [property]: value ? pen.declared(type, by, value) : undefined }),
    { list: LISTS[type] ?? "" },
  );
}

const TIMES = ["timeDuration", "timeDate", "timeCycle"];

function timer(pen: Pen, trigger: Moddle): Field[] {
  const kind = (): string => TIMES.find((name) => trigger[name]) ?? "timeDuration";
  const put = (name: string, body: string): void => {
    const changes: Record<string, unknown> = {};
    for (const each of TIMES) changes[each] = undefined;
    changes[name] = pen.create("bpmn:FormalExpression", { body }, trigger);
    pen.setOf(trigger, changes);
  };
  const text = (): string => textOf((trigger[kind()] as Moddle | undefined)?.["body"]);
  return [
    {
      label: t("Timer"),
      kind: "choice",
      choices: [
        ["timeDuration", t("after a while")],
        ["timeDate", t("at a time")],
        ["timeCycle", t("again and again")],
      ],
      read: kind,
      write: (value) => {
        put(value, text());
        return null;
      },
    },
    line(t("Time"), text, (value) => put(kind(), value), {
      hint: t("For example PT15M, 2026-12-24T12:00:00Z or R/PT1H."),
    }),
  ];
}

// -- loops -------------------------------------------------------------------------------

function repetition(pen: Pen): Group {
  const loop = pen.about["loopCharacteristics"] as Moddle | undefined;
  const fields: Field[] = [];
  if (loop?.$type === "bpmn:MultiInstanceLoopCharacteristics") {
    const of = (name: string, label: string): Field =>
      line(
        label,
        () => pen.attribute(name, loop),
        (value) => pen.setAttribute(name, value, loop),
      );
    fields.push(
      of("collection", t("For each of")),
      of("elementVariable", t("Called, in each turn")),
      expression(pen, t("Number of turns"), loop, "loopCardinality"),
      expression(pen, t("Ends early when"), loop, "completionCondition"),
    );
  }
  if (loop?.$type === "bpmn:StandardLoopCharacteristics")
    fields.push(expression(pen, t("Again while"), loop, "loopCondition"));
  return { title: t("Repetition"), fields };
}

// -- input and output --------------------------------------------------------------------

function values(pen: Pen): Group {
  if (!/(Task|CallActivity|SubProcess|Event)$/.test(pen.about.$type))
    return { title: "", fields: [] };
  if (pen.is("bpmn:StartEvent", "bpmn:BoundaryEvent")) return { title: "", fields: [] };
  return {
    title: t("Values"),
    fields: [
      mappings(pen, "inputParameter", t("Inputs")),
      mappings(pen, "outputParameter", t("Outputs")),
    ],
  };
}

function mappings(pen: Pen, word: string, label: string): Field {
  const all = (): Moddle[] =>
    (pen.extension("inputOutput")?.["$children"] as Moddle[] | undefined) ?? [];
  const mine = (): Moddle[] => all().filter((one) => pen.means(one, word));
  const shown = (one: Moddle): string =>
    `${one.name ?? ""} = ${one["$children"] ? KEPT : textOf(one["$body"])}`;
  return {
    label,
    kind: "text",
    hint: t("One a line: name = value, for example kg = ${material.required_kg}"),
    read: () => mine().map(shown).join("\n"),
    write: (text) => {
      const made: Moddle[] = [];
      for (const each of text.split("\n").filter((one) => one.trim())) {
        const [, name, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(each) ?? [];
        if (name === undefined) return t("Write name = value: {line}", { line: each.trim() });
        const old = mine().find((one) => one.name === name && shown(one) === each.trim());
        made.push(old ?? pen.any(word, value ? { name, $body: value } : { name }));
      }
      const others = all().filter((one) => !pen.means(one, word));
      const children = [...others, ...made];
      pen.setExtension("inputOutput", children.length ? { $children: children } : null);
      return null;
    },
  };
}
