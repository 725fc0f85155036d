import { messages } from "../messages/messages";
import { createStore, keep, kept } from "./store";

export type Language = "pt-BR" | "en";
export type MessageKey = keyof typeof messages;
type Counted<K> = K extends `${infer Stem}_one` ? Stem : never;
export type CountedKey = Counted<MessageKey>;
export type Values = Record<string, string | number>;

// The chosen language, else the browser's, else Portuguese.
function first(): Language {
  const chosen = kept("local", "language");
  if (chosen === "pt-BR" || chosen === "en") return chosen;
  return navigator.languages.find((each) => /^(pt|en)\b/.test(each))?.startsWith("en") ? "en" : "pt-BR";
}

export const language = createStore<Language>(first());

export function setLanguage(next: Language): void {
  keep("local", "language", next);
  document.documentElement.lang = next;
  language.set(next);
}

function filled(text: string, values?: Values): string {
  return values ? text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole)) : text;
}

export const t = (key: MessageKey, values?: Values): string => filled(messages[key][language.get() === "en" ? 1 : 0], values);

// A message with a count `n`, in its form `_one` or `_other`.
export function tn(key: CountedKey, n: number, values?: Values): string {
  const form = `${key}_${n === 1 ? "one" : "other"}` as MessageKey;
  return t(form, { n: new Intl.NumberFormat(language.get()).format(n), ...values });
}

// Whether a message exists for a name from the API.
export const knows = (key: string): key is MessageKey => key in messages;
export const tOr = (key: string, otherwise: string, values?: Values): string => (knows(key) ? t(key, values) : otherwise);
