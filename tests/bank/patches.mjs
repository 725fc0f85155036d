// Where the document contradicts itself or refuses what it means to allow. Each patch says what is wrong,
// looks whether it still is, and throws where it is gone: then the patch goes, too.

// Every object inside a value, with the name that it stands under.
function* objects(value, name) {
  if (typeof value !== 'object' || value === null) return;
  yield [value, name];
  for (const [key, inner] of Object.entries(value)) yield* objects(inner, key);
}

// Those that `isDefect` finds are mended; there must be as many as are known.
function everywhere(document, count, isDefect, mend) {
  const found = [...objects(document)].filter(([object, name]) => isDefect(object, name));
  if (found.length !== count) throw new Error(`${found.length} places, not ${count}`);
  for (const [object] of found) mend(object);
}

const isList = (value, ...items) => Array.isArray(value) && value.join() === items.join();

function withPattern(count, from, to) {
  const mend = (schema) => {
    schema.pattern = to;
  };
  return (document) => everywhere(document, count, ({ pattern }) => pattern === from, mend);
}

function withRequired(count, before, after) {
  const mend = (schema) => {
    schema.required = after;
  };
  return (document) => everywhere(document, count, ({ required }) => isList(required, ...before), mend);
}

const staticTxid = '[a-zA-Z0-9]{1,35}';

export const patches = [
  ['slashes in the pattern of a CPF refuse every CPF', withPattern(12, '/^\\d{11}$/', '^\\d{11}$')],
  ['slashes in the pattern of a municipality refuse each', withPattern(2, '/^\\d{7}$/', '^\\d{7}$')],
  [
    'a list of Pix requires `cobs`, and has `pix`',
    ({ components: { schemas } }) => {
      const { PixConsultados: list } = schemas;
      if (!isList(list.required, 'parametros', 'cobs') || 'cobs' in list.properties)
        throw new Error('not so');
      list.required = ['parametros', 'pix'];
    },
  ],
  [
    'the txid of a Pix, 1 to 35 characters for static codes, must have 26 as well',
    (document) =>
      everywhere(
        document,
        4,
        ({ allOf }) =>
          allOf?.length === 2 && allOf[0].$ref?.endsWith('/TxId') && allOf[1].pattern === staticTxid,
        (schema) => {
          delete schema.allOf;
          Object.assign(schema, { type: 'string', pattern: `^${staticTxid}$` });
        },
      ),
  ],
  [
    'a location, by rule without a scheme, must be a URI',
    (document) =>
      everywhere(
        document,
        4,
        ({ format, example }, name) => name === 'location' && format === 'uri' && !/^\w+:/.test(example),
        (schema) => delete schema.format,
      ),
  ],
  [
    'the loc of a cob must have txid, tipoCob and criacao, which its own examples lack',
    (document) => {
      const { loc } = document.components.examples.cobResponse2.value;
      if (Object.keys(loc).join() !== 'id,location') throw new Error('not so in cobResponse2');
      withRequired(2, ['id', 'txid', 'tipoCob', 'criacao'], ['id', 'location'])(document);
      withRequired(2, ['id', 'location', 'tipoCob', 'criacao'], ['id', 'location'])(document);
    },
  ],
  [
    'the loc that a request names by its id must have a tipoCob, which its own example lacks',
    (document) => {
      if (document.components.examples.cobBody3.value.loc.tipoCob) throw new Error('not so in cobBody3');
      withRequired(1, ['id', 'tipoCob'], ['id'])(document);
    },
  ],
  [
    'items of lists of cobs must have an idCob, which is defined nowhere',
    (document) => {
      if ([...objects(document)].some(([, name]) => name === 'idCob')) throw new Error('it is defined');
      withRequired(2, ['status', 'txid', 'idCob'], ['status', 'txid'])(document);
    },
  ],
  [
    'a webhook must have a cnpj, which its own example lacks',
    (document) => {
      if (document.components.examples.webhookResponse1.value.cnpj)
        throw new Error('not so in webhookResponse1');
      withRequired(1, ['webhookUrl', 'cnpj', 'criacao'], ['webhookUrl', 'criacao'])(document);
    },
  ],
  ...[
    [5, '[a-zA-Z0-9]{26,35}'],
    [1, staticTxid],
    [3, '[a-zA-Z0-9]{29}'],
    [3, '[a-zA-Z0-9]{32}'],
    [33, '\\d{1,10}\\.\\d{2}'],
  ].map(([count, pattern]) => [
    `the pattern ${pattern} is not anchored, so longer texts pass`,
    withPattern(count, pattern, `^${pattern}$`),
  ]),
  [
    'no other pattern is without its ends',
    (document) =>
      everywhere(document, 0, ({ pattern }) => typeof pattern === 'string' && !/^\^.*\$$/.test(pattern)),
  ],
];

// The document, changed in place. Throws, naming each, where defects are gone.
export function patched(document, list = patches) {
  const gone = [];
  for (const [defect, patch] of list) {
    try {
      patch(document);
    } catch (error) {
      gone.push(`${defect}: ${error.message}`);
    }
  }
  if (gone.length > 0)
    throw new Error(`the document has changed; its patches do not fit:\n${gone.join('\n')}`);
  return document;
}
