'use strict';

// A string, a number, or punctuation: the rest of a valid JSON text is white space.
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][-+.0-9eE]*|[{}[\],:]/gs;
const integer = /^-?(?:0|[1-9][0-9]*)$/;

/**
 * JSON.parse for signed or checked texts: throws SyntaxError also if an object repeats a name, about which
 * readers would differ, and for numbers that are not integers or too large to be held exactly.
 */
function parseStrictly(text) {
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
    } else if (/^[-0-9]/.test(part) && !(integer.test(part) && Number.isSafeInteger(Number(part))))
      throw new SyntaxError('a number is not an integer');
    last = part;
  }
  return value;
}

module.exports = { parseStrictly };
