// Fields of ours in bpmn.io's form editor: drawn there like the plain field that they
// extend, set up by the same entries, kept in the file under their own type.

import { Numberfield, Textfield } from "@bpmn-io/form-js-viewer";
import { t } from "../texts.js";

interface Config {
  type: string;
  [key: string]: unknown;
}

type Field = ((props: object) => unknown) & { config: Config };

interface FormFields {
  register(type: string, field: unknown): void;
}

function like(base: Field, type: string, name: string, entries: string[]): Field {
  const drawn = (props: object): unknown => base(props);
  return Object.assign(drawn, {
    config: {
      ...base.config,
      type,
      name,
      label: name,
      group: "basic-input",
      create: (options = {}) => ({ label: name, ...options }),
      propertiesPanelEntries: ["key", "label", "description", "disabled", "readonly", ...entries],
    },
  });
}

function register(formFields: FormFields): void {
  const line = Textfield as unknown as Field;
  const number = Numberfield as unknown as Field;
  for (const field of [
    like(line, "scan", t("Scan"), []),
    like(number, "weigh", t("Weigh"), ["min", "max"]),
    like(line, "photo", t("Photo"), []),
    like(line, "signature", t("Signature"), []),
  ])
    formFields.register(field.config.type, field);
}

export const ourFields = { __init__: [["formFields", register]] };
