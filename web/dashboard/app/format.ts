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
// Whole units, thousands as such: for the axes of plots.
export const formatMoneyShort = (cents: number): string => formatNumber(cents / 100, { notation: "compact", maximumFractionDigits: 1 });
export const formatPercent = (ratio: number): string => formatNumber(ratio, { style: "percent", maximumFractionDigits: 1 });

// A time that is none, as an address may hold, reads as it is.
export function formatTime(iso: string, style: "short" | "full" | "day" = "short"): string {
  const moment = new Date(iso);
  if (Number.isNaN(moment.getTime())) return iso;
  const options: Intl.DateTimeFormatOptions = { timeZone: zone(), day: "2-digit", month: "2-digit", year: "numeric" };
  if (style !== "day") Object.assign(options, { hour: "2-digit", minute: "2-digit" });
  if (style === "full") Object.assign(options, { second: "2-digit", timeZoneName: "short" });
  return new Intl.DateTimeFormat(language.get() === "en" ? "en-GB" : "pt-BR", options).format(moment);
}

// A day of a calendar, YYYY-MM-DD, which has no zone.
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

// An amount as people type it, without the currency.
export const moneyText = (cents: number): string => formatMoney(cents).replace(/[^\d.,]/g, "");

const grouped = (mark: string) => `(\\d+|[1-9]\\d{0,2}(?:${mark}\\d{3})+)`;

// What people write of an amount ("1.234,50", "1234.5", "R$ 10") in cents; null where it is none, or could be two: three
// digits behind the language's own decimal mark are a slip of the hand, not thousands.
export function parseMoney(text: string): number | null {
  const bare = text.replace(/R\$|\s/g, "");
  const [decimal, thousand] = language.get() === "en" ? ["\\.", ","] : [",", "\\."];
  const parts =
    new RegExp(`^${grouped(thousand)}(?:${decimal}(\\d{1,2}))?$`).exec(bare) ?? new RegExp(`^${grouped(decimal)}${thousand}(\\d{1,2})$`).exec(bare);
  if (!parts) return null;
  const cents = Number(parts[1]!.replace(/[.,]/g, "")) * 100 + Number((parts[2] ?? "").padEnd(2, "0"));
  return Number.isSafeInteger(cents) ? cents : null;
}

// By their names, since browsers write dates of one locale in different orders.
function partsOf(moment: Date): Record<"year" | "month" | "day" | "hour" | "minute" | "second", number> {
  const parts: Record<string, number> = {};
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone(), hourCycle: "h23", year: "numeric", month: "numeric",
    day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" });
  for (const { type, value } of format.formatToParts(moment)) parts[type] = Number(value);
  return parts;
}

// The day in the store's zone of a moment, YYYY-MM-DD.
export function dayOf(moment: Date): string {
  const { year, month, day } = partsOf(moment);
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

const dayMs = 86_400_000;

// How far the store's zone is ahead of UTC at a moment.
function offsetMs(moment: number): number {
  const { year, month, day, hour, minute, second } = partsOf(new Date(moment));
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

// A local time of the store (YYYY-MM-DD, or with Thh:mm) as a moment, ISO 8601 in UTC; null where it is none.
export function momentOf(local: string): string | null {
  const utc = Date.parse(local.length === 10 ? `${local}T00:00:00Z` : `${local}Z`);
  if (Number.isNaN(utc)) return null;
  // Of a time that the clocks repeat the first, and of one that they skip what it would have been without the change:
  // of a midnight the first moment of the day.
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
