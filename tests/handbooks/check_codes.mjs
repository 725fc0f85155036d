// Usage: node check_codes.mjs ROOT OPENAPI_DOCUMENT
//
// The merchant's guide, the API's sources and its OpenAPI document know the same error codes with the same statuses.
// Prints what differs.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const [root, openapi] = process.argv.slice(2);
const read = (path) => readFileSync(join(root, path), 'utf8');
const pairs = (text, pattern, make) => new Set([...text.matchAll(pattern)].map((match) => make(match)));
const codes = (told) => new Set([...told].map((each) => each.split(' ')[1]));

// "404 ERR_TRANSACTION_001", each.
const inGuide = pairs(
  read('docs/MERCHANT_GUIDE.md'),
  /^\| ([0-9]{3}) \| `(ERR_[A-Z]+_[0-9]{3})` \| \S.* \| \S.* \|$/gm,
  ([, status, code]) => `${status} ${code}`,
);

// Where a status and a code stand together, as in error(404, "ERR_…"; a status without one is the transport's own.
const sources = ['base/http', 'http']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)))
  // The table of all statuses' texts refuses nothing.
  .filter((path) => /\.(cpp|h)$/.test(path) && !path.endsWith('message/reply.cpp'))
  .map((path) => read(path).replaceAll(/^\s*\/\/.*$/gm, ''))
  .join('\n');
const named = pairs(sources, /([45][0-9]{2}),\s*(?:\.code = )?"(ERR_[A-Z]+_[0-9]{3})"/g, ([, status, code]) => `${status} ${code}`);
const bare = pairs(
  sources,
  /(?:transport_error_reply\(\w+,|\{)\s*([45][0-9]{2}),(?!\s*"ERR_|\s*kInvalid)/g,
  ([, status]) => `${status} ERR_HTTP_${status}`,
);
const [, invalid] = /kInvalid = "(ERR_[A-Z]+_[0-9]{3})"/.exec(sources);
const [, ended] = /kSignInCode = "(ERR_[A-Z]+_[0-9]{3})"/.exec(sources);
const inSources = new Set([...named, ...bare, `400 ${invalid}`, `401 ${ended}`]);
for (const [literal] of sources.matchAll(/ERR_[A-Z]+_[0-9]{3}/g))
  if (!codes(inSources).has(literal)) inSources.add(`??? ${literal}`);

// The examples of every answer of every operation.
const document = JSON.parse(readFileSync(openapi, 'utf8'));
const resolve = (value) =>
  value.$ref ? value.$ref.slice(2).split('/').reduce((found, name) => found[name.replaceAll('~1', '/')], document) : value;
const inDocument = new Set();
let hasTransport = false;
for (const operations of Object.values(document.paths)) {
  for (const { responses = {} } of Object.values(operations)) {
    for (const [status, response] of Object.entries(responses)) {
      for (const { examples = {} } of Object.values(resolve(response).content ?? {})) {
        for (const code of Object.keys(examples).filter((name) => name.startsWith('ERR_'))) {
          // The answer to what is refused before any operation stands for all of its kind.
          if (status === '4XX' || status === 'default') hasTransport = true;
          inDocument.add(`${/^[0-9]+$/.test(status) ? status : code.slice(-3)} ${code}`);
        }
      }
    }
  }
}

let failed = false;
const compare = (what, some, other, except = () => false) => {
  for (const each of [...some].filter((one) => !other.has(one) && !except(one)).sort()) {
    console.error(`${what}: ${each}`);
    failed = true;
  }
};
if (inGuide.size === 0) compare('the guide has no table of codes', new Set(['']), new Set());
compare('the guide does not tell', inSources, inGuide);
compare('the guide tells what no source says', inGuide, inSources);
compare('the OpenAPI document tells what the guide does not', inDocument, inGuide);
compare('the OpenAPI document does not tell', inGuide, inDocument, (each) => hasTransport && /^(4..|505) ERR_HTTP_/.test(each));
console.log(`${inGuide.size} codes in the guide, ${inSources.size} in the sources, ${inDocument.size} in the document`);
process.exit(failed ? 1 : 0);
