import type { Violation } from "../api_types";
import type { ApiError } from "./api";
import { isAway } from "./api";
import { language, t, tOr } from "./i18n";
import { inPortuguese } from "./reasons";

// What the API said, in the user's language where there are words for the code.
export function errorText(error: ApiError): string {
  if (isAway(error)) return t("error_away");
  if (error.code === "ERR_RATE_001" && error.retryAfterSeconds) return t("error_wait", { seconds: error.retryAfterSeconds });
  return tOr(`error_${error.code}`, error.message || error.code);
}

export function reasonText({ reason }: Violation): string {
  return language.get() === "en" ? reason : (inPortuguese(reason) ?? t("reason_other", { reason }));
}
