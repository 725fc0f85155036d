// Invisible characters that change what is seen: bidirectional controls, zero-width characters, tags, fillers. Also
// illegible ones: private use, marks without a letter, and more than eight marks in a row. The API rejects them now;
// older texts show escapes instead, as in "Maria\u202e".
const hidden = /[\p{Default_Ignorable_Code_Point}\p{Co}\u2028\u2029\u2800\ufff9-\ufffb\u{13430}-\u{1343f}\u{16fe4}\u{1d159}]|^\p{M}|(?<=\p{M}{8})\p{M}/gu;

const pictograph = /\p{Extended_Pictographic}[\ufe0e\ufe0f\u{1f3fb}-\u{1f3ff}]*$/u;
const virama = /[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039]/u;
const arabic = /[\u0620-\u077f\u0870-\u08ff\ufb50-\ufdff\ufe70-\ufefc]/u;

// Joiners and variation selectors that emoji and scripts need.
function isNeeded(character: string, before: string, after: string): boolean {
  const last = [...before].pop() ?? "";
  const next = [...after].shift() ?? "";
  if (/[\u200c\u200d]/u.test(character)) {
    if (!last || !next) return false;
    if (virama.test(last) || virama.test(next)) return true;
    if (character === "\u200d") return pictograph.test(before) && /\p{Extended_Pictographic}/u.test(next);
    return arabic.test(last) && arabic.test(next);
  }
  if (/[\ufe0e\ufe0f]/u.test(character) && (/\p{Extended_Pictographic}/u.test(last) || (/[0-9#*]/.test(last) && next === "\u20e3"))) return true;
  if (/[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u.test(character)) return /\p{Unified_Ideograph}/u.test(last);
  return /[\u180b-\u180d\u180f]/u.test(character) && /[\u1820-\u18aa]/u.test(last);
}

const escaped = (character: string): string => {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
};

export const shown = (text: string): string =>
  text.replace(hidden, (character, at: number) => (isNeeded(character, text.slice(0, at), text.slice(at + character.length)) ? character : escaped(character)));

/** A body of the API, with its texts as they are shown. */
export const readShown = async (response: Response) =>
  JSON.parse(await response.text(), (_name, value: unknown) => (typeof value === "string" ? shown(value) : value));
