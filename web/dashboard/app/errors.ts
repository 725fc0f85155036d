import type { Violation } from "../api_types";
import type { ApiError } from "./api";
import { isAway } from "./api";
import { formatMoney } from "./format";
import { language, t, tOr } from "./i18n";
import { doubtInPortuguese, inPortuguese } from "./reasons";

// The API's error in the user's language, if its code has a message.
export function errorText(error: ApiError): string {
  if (isAway(error)) return t("error_away");
  if (error.code === "ERR_RATE_001" && error.retryAfterSeconds) return t("error_wait", { seconds: error.retryAfterSeconds });
  return tOr(`error_${error.code}`, error.message || error.code);
}

// Users read amounts in reais; the API counts cents.
function rangeOfMoney({ field, reason }: Violation): string | null {
  const found = /Cents$/.test(field) ? /^must be an integer(?: of cents)? from (\d+) to (\d+)/.exec(reason) : null;
  return found && t("reason_money", { from: formatMoney(Number(found[1])), to: formatMoney(Number(found[2])) });
}

export function reasonText(violation: Violation): string {
  const { reason } = violation;
  const money = rangeOfMoney(violation);
  if (money) return money;
  return language.get() === "en" ? reason : (inPortuguese(reason) ?? t("reason_other", { reason }));
}

export const warningText = (warning: string): string => (language.get() === "en" ? warning : (doubtInPortuguese(warning) ?? warning));
