import { language } from "./i18n";
import { session } from "./session";

export const zone = (): string => session.get().store?.timezone ?? "America/Sao_Paulo";

const money = new Map<string, Intl.NumberFormat>();

export function formatMoney(cents: number): string {
  const locale = language.get();
  let format = money.get(locale);
  if (!format) money.set(locale, (format = new Intl.NumberFormat(locale, { style: "currency", currency: "BRL" })));
  return format.format(cents / 100);
}

export const formatNumber = (value: number, options?: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(language.get(), options).format(value);
// Whole units, abbreviated thousands: for axes.
export const formatMoneyShort = (cents: number): string => formatNumber(cents / 100, { notation: "compact", maximumFractionDigits: 1 });
export const formatPercent = (ratio: number): string => formatNumber(ratio, { style: "percent", maximumFractionDigits: 1 });

// An invalid time, for example from a URL, is returned as it is. "brief" omits the current year.
export function formatTime(iso: string, style: "brief" | "short" | "full" | "day" = "short"): string {
  const moment = new Date(iso);
  if (Number.isNaN(moment.getTime())) return iso;
  const options: Intl.DateTimeFormatOptions = { timeZone: zone(), day: "2-digit", month: "2-digit", year: "numeric" };
  if (style === "brief" && partsOf(moment).year === partsOf(new Date()).year) delete options.year;
  if (style !== "day") Object.assign(options, { hour: "2-digit", minute: "2-digit" });
  if (style === "full") Object.assign(options, { second: "2-digit", timeZoneName: "short" });
  return new Intl.DateTimeFormat(language.get() === "en" ? "en-GB" : "pt-BR", options).format(moment);
}

// A calendar day, YYYY-MM-DD, without a zone.
export function formatDay(day: string): string {
  const moment = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(moment.getTime())) return day;
  return new Intl.DateTimeFormat(language.get() === "en" ? "en-GB" : "pt-BR", { timeZone: "UTC", day: "2-digit", month: "2-digit" }).format(moment);
}

export function formatSeconds(seconds: number): string {
  const unit = (value: number, name: string) => formatNumber(value, { style: "unit", unit: name, unitDisplay: "narrow", maximumFractionDigits: value < 10 ? 1 : 0 });
  if (seconds < 60) return unit(seconds, "second");
  if (seconds < 3600) return unit(seconds / 60, "minute");
  if (seconds < 86_400) return unit(seconds / 3600, "hour");
  return unit(seconds / 86_400, "day");
}

// "há 5 minutos"
export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const size = Math.abs(seconds);
  const format = new Intl.RelativeTimeFormat(language.get(), { numeric: "auto" });
  if (size < 60) return format.format(Math.round(seconds), "second");
  if (size < 3600) return format.format(Math.round(seconds / 60), "minute");
  if (size < 86_400) return format.format(Math.round(seconds / 3600), "hour");
  return format.format(Math.round(seconds / 86_400), "day");
}

export function formatDocument(document: string): string {
  if (document.length === 11) return document.replace(/(.{3})(.{3})(.{3})(.{2})/, "$1.$2.$3-$4");
  if (document.length === 14 && !document.includes("*")) return document.replace(/(.{2})(.{3})(.{3})(.{4})(.{2})/, "$1.$2.$3/$4-$5");
  return document;
}

export function formatPhone(phone: string): string {
  const own = phone.length > 11 && phone.startsWith("55") ? phone.slice(2) : phone;
  return /^\d{10,11}$/.test(own) ? own.replace(/^(..)(.*)(....)$/, "($1) $2-$3") : phone;
}

// An amount as users type it, without the currency.
export const moneyText = (cents: number): string => formatMoney(cents).replace(/[^\d.,]/g, "");

const grouped = (mark: string) => `(\\d+|[1-9]\\d{0,2}(?:${mark}\\d{3})+)`;

// A typed amount ("1.234,50", "1234.5", "R$ 10") in cents; null if it is invalid or ambiguous. Three digits after the
// language's decimal mark count as a typing error, not as thousands.
export function parseMoney(text: string): number | null {
  const bare = text.replace(/R\$|\s/g, "");
  const [decimal, thousand] = language.get() === "en" ? ["\\.", ","] : [",", "\\."];
  const parts =
    new RegExp(`^${grouped(thousand)}(?:${decimal}(\\d{1,2}))?$`).exec(bare) ?? new RegExp(`^${grouped(decimal)}${thousand}(\\d{1,2})$`).exec(bare);
  if (!parts) return null;
  const cents = Number(parts[1]!.replace(/[.,]/g, "")) * 100 + Number((parts[2] ?? "").padEnd(2, "0"));
  return Number.isSafeInteger(cents) ? cents : null;
}

// By part names, since browsers order the parts of a locale differently.
function partsOf(moment: Date): Record<"year" | "month" | "day" | "hour" | "minute" | "second", number> {
  const parts: Record<string, number> = {};
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone(), hourCycle: "h23", year: "numeric", month: "numeric",
    day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" });
  for (const { type, value } of format.formatToParts(moment)) parts[type] = Number(value);
  return parts;
}

// The day of a moment in the store's zone, YYYY-MM-DD.
export function dayOf(moment: Date): string {
  const { year, month, day } = partsOf(moment);
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

const dayMs = 86_400_000;

// The offset of the store's zone from UTC at a moment.
function offsetMs(moment: number): number {
  const { year, month, day, hour, minute, second } = partsOf(new Date(moment));
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

// A local time of the store (YYYY-MM-DD, or with Thh:mm) as ISO 8601 in UTC; null if invalid.
export function momentOf(local: string): string | null {
  const utc = Date.parse(local.length === 10 ? `${local}T00:00:00Z` : `${local}Z`);
  if (Number.isNaN(utc)) return null;
  // Of a repeated time the first; of a skipped time what it would be without the change; of a skipped midnight the
  // first moment of the day.
  const [before, after] = [offsetMs(utc - dayMs), offsetMs(utc + dayMs)];
  const isThere = (offset: number) => offsetMs(utc - offset) === offset;
  return new Date(utc - (!isThere(before) && isThere(after) ? after : before)).toISOString();
}

export function addDays(day: string, days: number): string {
  const moment = new Date(`${day}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + days);
  return moment.toISOString().slice(0, 10);
}

// The last millisecond of a day of the store.
export function endOfDay(day: string): string | null {
  const next = /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)) ? momentOf(addDays(day, 1)) : null;
  return next && new Date(Date.parse(next) - 1).toISOString();
}
