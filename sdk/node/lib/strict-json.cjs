'use strict';

// A string, a number, or punctuation: the rest of a valid JSON text is white space.
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][-+.0-9eE]*|[{}[\],:]/gs;
const halfOfCharacter = /[\ud800-\udfff]/u;
const depthMax = 100;
const integer = /^-?(?:0|[1-9][0-9]*)$/;

/**
 * JSON.parse for signed or checked texts: throws SyntaxError also for what readers would differ about, a name that an
 * object repeats, half of a surrogate pair, and many levels. `checkNumber` gets the text of each number.
 */
function parseWithoutRepeats(text, checkNumber = () => {}) {
  const value = JSON.parse(text);
  const open = []; // for each object its names, for each array nothing
  let last;
  for (const [part] of text.matchAll(token)) {
    if (part === '{') open.push(new Set());
    else if (part === '[') open.push(undefined);
    else if (part === '}' || part === ']') open.pop();
    else if (part === ':') {
      const name = JSON.parse(last);
      if (open.at(-1).has(name)) throw new SyntaxError('a name comes twice');
      open.at(-1).add(name);
    } else if (part.includes('\\u')) {
      if (halfOfCharacter.test(JSON.parse(part))) throw new SyntaxError('a character is incomplete');
    } else if (/^[-0-9]/.test(part)) checkNumber(part);
    if (open.length > depthMax) throw new SyntaxError('it is too deep');
    last = part;
  }
  return value;
}

function checkInteger(text) {
  if (!(integer.test(text) && Number.isSafeInteger(Number(text)))) throw new SyntaxError('a number is not an integer');
}

/** The same, and throws for numbers that are not integers or too large to be held exactly. */
const parseStrictly = (text) => parseWithoutRepeats(text, checkInteger);

module.exports = { parseStrictly, parseWithoutRepeats };
