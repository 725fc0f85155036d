import type { ApiError, Violation } from "./api";
import { isAway } from "./api";
import { language, t, tOr } from "./i18n";

// What the API said, in the user's language where there are words for the code.
export function errorText(error: ApiError): string {
  if (isAway(error)) return t("error_away");
  if (error.code === "ERR_RATE_001" && error.retryAfterSeconds) return t("error_wait", { seconds: error.retryAfterSeconds });
  return tOr(`error_${error.code}`, error.message || error.code);
}

// Reasons are English sentences; the usual ones have Portuguese words.
const reasons: [RegExp, (found: string[]) => string][] = [
  [/^is required$/, () => t("reason_required")],
  [/^must be an integer from (\d+) to (\d+)$/, ([, from, to]) => t("reason_integer", { from: from!, to: to! })],
  [/^must be (?:text|a text|a string)? ?of (\d+) to (\d+) characters/, ([, from, to]) => t("reason_length", { from: from!, to: to! })],
  [/e-?mail/i, () => t("reason_email")],
  [/CPF|CNPJ|document/i, () => t("reason_document")],
  [/phone|10 to 15 digits/i, () => t("reason_phone")],
  [/in the future/i, () => t("reason_future")],
  [/host ?name/i, () => t("reason_host")],
  [/https?:|URL/i, () => t("reason_url")],
];

export function reasonText({ reason }: Violation): string {
  if (language.get() === "en") return reason;
  for (const [pattern, words] of reasons) {
    const found = pattern.exec(reason);
    if (found) return words(found);
  }
  return reason;
}
