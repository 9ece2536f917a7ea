// Reasons of rules.ts in the reader's language. The build collects the texts of a page
// from calls with a literal key, so those that come by way of a rule are named here:
// t("please fill this in.") t("must be yes or no.") t("must be a number.")
// t("must have at most {digits} decimals.") t("must be at least {limit}.")
// t("must be at most {limit}.") t("{amount} kg too little.") t("{amount} kg too much.")
// t("must be text.") t("has characters that cannot be kept.")
// t("must be at most {limit} characters.") t("must be at least {limit} characters.")
// t("must be an e-mail address.") t("must be a telephone number.")
// t("must look like this: {hint}.") t("does not have the right form.")
// t("wrong code; {expected} is expected.") t("is not one of the choices.")
// t("must be a list of choices.") t("names a choice twice.") t("must be a date.")
// t("must be a time.") t("must be a date with a time.") t("must not lie in the past.")
// t("must not be before {limit}.") t("must not be after {limit}.")
// t("must be a picture (JPEG, PNG or WebP).") t("must be at most {limit} MB.")

import { formatNumber, t } from "../texts.js";
import type { Problem } from "./rules.js";

export function say({ reason, values }: Problem): string {
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === "number" ? formatNumber(value, 3) : value,
  ]);
  const text = t(reason, Object.fromEntries(shown) as Record<string, string>);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
