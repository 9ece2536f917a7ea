// Keeps a vendor's words when a step is copied or turned into another kind. The modeller
// copies what it knows of BPMN only; without this a form that becomes a service would lose
// its inputs, and a copied form its form.

import type { Factory, Moddle } from "./moddle.js";

interface Copying {
  sourceElement: Moddle;
  targetElement: Moddle;
}

interface CopyingOne {
  parent: Moddle;
  property: unknown;
}

interface EventBus {
  on(event: string, priority: number, heard: (event: never) => unknown): void;
}

const BEFORE = 1500; // the modeller's own rules
const FORMS = ["UserTask"];
const FORMS_AND_STARTS = ["UserTask", "StartEvent"];
const SERVICES = ["ServiceTask", "SendTask", "BusinessRuleTask"];
const SERVICES_AND_THROWS = [...SERVICES, "IntermediateThrowEvent", "EndEvent"];
const DECISIONS = ["BusinessRuleTask"];
const CALLS = ["CallActivity"];

/** Words that mean something at these kinds only; all others may stand anywhere. */
const ONLY_AT: Record<string, readonly string[]> = {
  formKey: FORMS_AND_STARTS,
  formRef: FORMS_AND_STARTS,
  formRefBinding: FORMS_AND_STARTS,
  formRefVersion: FORMS_AND_STARTS,
  formData: FORMS_AND_STARTS,
  assignee: FORMS,
  candidateGroups: FORMS,
  candidateUsers: FORMS,
  dueDate: FORMS,
  followUpDate: FORMS,
  priority: FORMS,
  taskListener: FORMS,
  type: SERVICES_AND_THROWS,
  topic: SERVICES_AND_THROWS,
  class: SERVICES_AND_THROWS,
  delegateExpression: SERVICES_AND_THROWS,
  expression: SERVICES_AND_THROWS,
  taskPriority: SERVICES_AND_THROWS,
  field: SERVICES_AND_THROWS,
  connector: SERVICES_AND_THROWS,
  resultVariable: [...SERVICES, "ScriptTask"],
  decisionRef: DECISIONS,
  decisionRefBinding: DECISIONS,
  decisionRefVersion: DECISIONS,
  mapDecisionResult: DECISIONS,
  in: CALLS,
  out: CALLS,
  calledElementBinding: CALLS,
  calledElementVersion: CALLS,
  initiator: ["StartEvent"],
  // Camunda 8
  formDefinition: FORMS_AND_STARTS,
  assignmentDefinition: FORMS,
  taskSchedule: FORMS,
  userTask: FORMS,
  taskDefinition: [...SERVICES_AND_THROWS, "ScriptTask"],
  calledDecision: DECISIONS,
  calledElement: CALLS,
  script: ["ScriptTask"],
};

function fits(word: string, kind: string): boolean {
  const [prefix, name] = word.split(":");
  if (name === undefined || prefix === "xmlns") return false;
  return ONLY_AT[name]?.includes(kind.replace("bpmn:", "")) ?? true;
}

class KeepWords {
  static readonly $inject = ["eventBus", "moddle"];

  constructor(
    bus: EventBus,
    private readonly factory: Factory,
  ) {
    bus.on("moddleCopy.canCopyProperties", BEFORE, (event: Copying) => this.#attributes(event));
    bus.on("moddleCopy.canCopyProperty", BEFORE, (event: CopyingOne) => this.#element(event));
  }

  #attributes({ sourceElement, targetElement }: Copying): void {
    for (const [word, value] of Object.entries(sourceElement.$attrs))
      if (fits(word, targetElement.$type)) targetElement.$attrs[word] = value;
  }

  #element({ parent, property }: CopyingOne): unknown {
    if (!isForeign(property)) return undefined; // the modeller decides
    const holder = parent.$parent ?? parent;
    return fits(property.$type, holder.$type) ? this.#copy(property) : false;
  }

  #copy(foreign: Moddle): Moddle {
    const { $type, $children, ...rest } = foreign;
    const children = $children as Moddle[] | undefined;
    const properties: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(rest))
      if (name === "$body" || !name.startsWith("$")) properties[name] = value;
    if (children) properties["$children"] = children.map((child) => this.#copy(child));
    const { ns } = foreign["$descriptor"] as { ns: { uri: string } };
    const made = this.factory.createAny($type, ns.uri, properties);
    for (const child of (made["$children"] as Moddle[] | undefined) ?? []) child.$parent = made;
    return made;
  }
}

function isForeign(property: unknown): property is Moddle {
  if (typeof property !== "object" || property === null) return false;
  const descriptor = (property as Moddle)["$descriptor"] as { isGeneric?: boolean } | undefined;
  return descriptor?.isGeneric === true;
}

export default { __init__: ["keepWords"], keepWords: ["type", KeepWords] };
