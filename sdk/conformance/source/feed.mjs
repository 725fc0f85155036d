// Iterators: pages, and the feed.
const page = (ids, number, totalPages) => ({
  json: { success: true, data: ids.map((id) => ({ id })), meta: { page: number, totalPages } },
});
const events = (ids, next = ids.at(-1)) => ({
  json: { success: true, data: ids.map((id) => ({ id })), meta: { next } },
});
const cutOff = (resumeAfter) => ({
  status: 409,
  json: {
    success: false,
    code: 'ERR_CURSOR_001',
    message: 'Restored.',
    details: [{ field: 'after', reason: 'was cut off', ...(resumeAfter && { resumeAfter }) }],
    requestId: 'req_1',
  },
});
const failure = (status) => ({ status, json: { success: false, code: 'ERR_X_001', message: 'no', details: [] } });
const items = (...ids) => ids.map((id) => ({ id }));
const asked = (...queries) => queries.map((query) => ({ query }));

const vector =
  (kind, path) =>
  (name, query, answers, expect, { options = {}, id, ...more } = {}) => ({
    name: `${kind}: ${name}`,
    kind,
    input: { call: path, arguments: id === undefined ? [query] : [id, query], answers, ...more },
    options,
    expect,
  });
const pages = vector('pagination', 'transactions.listAll');
const follow = vector('follow', 'events.follow');

const pagination = [
  pages('all pages', { status: 'paid' }, [page(['a', 'b'], 1, 2), page(['c'], 2, 2)], {
    items: items('a', 'b', 'c'),
    requests: asked({ status: 'paid', limit: '100', page: '1' }, { status: 'paid', limit: '100', page: '2' }),
  }),
  pages('an item that moved to the next page comes once', {}, [page(['a', 'b'], 1, 2), page(['b', 'c'], 2, 2)], {
    items: items('a', 'b', 'c'),
  }),
  pages('nothing', {}, [page([], 1, 0)], { items: [], attempts: 1 }),
  pages('a page that is empty ends it', {}, [page(['a'], 1, 9), page([], 2, 9)], { items: items('a'), attempts: 2 }),
  pages('from a page on', { page: 2, limit: 1 }, [page(['b'], 2, 2)], {
    items: items('b'),
    requests: asked({ page: '2', limit: '1' }),
  }),
  pages(
    'pages are fetched when they are needed',
    {},
    [page(['a', 'b'], 1, 2), page(['c'], 2, 2)],
    { items: items('a', 'b'), attempts: 1 },
    { take: 2 },
  ),
  pages('a page is repeated', {}, [page(['a'], 1, 2), failure(503), page(['b'], 2, 2)], {
    items: items('a', 'b'),
    attempts: 3,
  }),
  ...[
    ['an object without items', {}],
    ['items that are no list', { data: { id: 'a' }, meta: { totalPages: 1 } }],
  ].map(([name, json]) =>
    pages(`${name} is not a page`, {}, [{ json }], { items: [], error: { class: 'ConnectionError' }, attempts: 1 }),
  ),
  pages('an error on the second page', {}, [page(['a'], 1, 2), failure(500)], {
    items: items('a'),
    error: { class: 'ApiError', status: 500 },
    attempts: 2,
  }),
  vector('pagination', 'channels.deliveriesAll')(
    'pages below an id',
    {},
    [page(['a'], 1, 1)],
    {
      items: items('a'),
      requests: [{ path: '/api/v1/notification-channels/c1/deliveries' }],
    },
    { id: 'c1' },
  ),
];

const stop = { stopWhenIdle: true };
const feed = [
  follow(
    'ends at the first empty page where it is to stop',
    {},
    [events(['e1', 'e2']), events(['e3']), events([], 'e3')],
    {
      items: items('e1', 'e2', 'e3'),
      requests: asked({}, { after: 'e2' }, { after: 'e3' }),
    },
    { options: stop },
  ),
  ...[
    ['no place', {}],
    ['a place that is no text', { next: 7 }],
  ].map(([name, meta]) =>
    follow(`${name} to go on from is not a page`, {}, [{ json: { success: true, data: [], meta } }], {
      items: [],
      error: { class: 'ConnectionError' },
      attempts: 1,
    }),
  ),
  // The server has not found an event of these types yet, and has not come to the end.
  follow(
    'an empty page that leads further does not end it',
    { after: 'e1', types: 'transaction.paid' },
    [events([], 'e5000'), events(['e6000']), events([], 'e6000')],
    {
      items: items('e6000'),
      requests: ['e1', 'e5000', 'e6000'].map((after) => ({ query: { after, types: 'transaction.paid' } })),
    },
    { options: stop },
  ),
  follow(
    'a wait that is given holds where it is to stop, too',
    { after: 'e1', wait: 5 },
    [events([], 'e1')],
    {
      items: [],
      requests: asked({ after: 'e1', wait: '5' }),
    },
    { options: stop },
  ),
  follow(
    'ends at once where there is nothing',
    { after: 'e7' },
    [events([], 'e7')],
    { items: [], attempts: 1 },
    { options: stop },
  ),
  follow(
    'waits 20 s for events',
    {},
    [events(['e1']), events(['e2'])],
    {
      items: items('e1', 'e2'),
      requests: asked({ wait: '20' }, { after: 'e1', wait: '20' }),
    },
    { take: 2 },
  ),
  follow(
    'an empty page does not end it',
    {},
    [events(['e1']), events([], 'e5'), events(['e6'])],
    {
      items: items('e1', 'e6'),
      requests: asked({ wait: '20' }, { after: 'e1', wait: '20' }, { after: 'e5', wait: '20' }),
    },
    { take: 2 },
  ),
  follow(
    'types, limit and wait are sent',
    { after: 'e1', types: ['transaction.paid', 'transaction.refunded'], limit: 5, wait: 3 },
    [events(['e2'])],
    {
      items: items('e2'),
      requests: asked({ after: 'e1', types: 'transaction.paid,transaction.refunded', limit: '5', wait: '3' }),
    },
    { take: 1 },
  ),
  follow(
    '"now" is fixed by a request that does not wait',
    { after: 'now' },
    [events([], 'e9'), { close: true }, events(['e10'])],
    {
      items: items('e10'),
      requests: asked({ after: 'now' }, { after: 'e9', wait: '20' }, { after: 'e9', wait: '20' }),
    },
    { take: 1 },
  ),
  follow(
    'goes on where a restore has cut history off, and tells',
    { after: 'e9' },
    [cutOff('e1'), events(['e2'])],
    {
      items: items('e2'),
      cutOff: ['e1'],
      requests: asked({ after: 'e9', wait: '20' }, { after: 'e1', wait: '20' }),
    },
    { take: 1 },
  ),
  follow(
    'also on the way',
    {},
    [events(['e1', 'e2']), cutOff('e1'), events(['e3'])],
    {
      items: items('e1', 'e2', 'e3'),
      cutOff: ['e1'],
    },
    { take: 3 },
  ),
  follow(
    'a restore does not count as an empty page',
    { after: 'e9' },
    [cutOff('e1'), events(['e2']), events([], 'e2')],
    {
      items: items('e2'),
      cutOff: ['e1'],
      attempts: 3,
    },
    { options: stop },
  ),
  follow(
    'two restores',
    { after: 'e9' },
    [cutOff('e5'), cutOff('e1'), events([], 'e1')],
    {
      items: [],
      cutOff: ['e5', 'e1'],
      attempts: 3,
    },
    { options: stop },
  ),
  follow('a cursor that leads to itself ends it', { after: 'e9' }, [cutOff('e9')], {
    items: [],
    cutOff: [],
    error: { class: 'ApiError', code: 'ERR_CURSOR_001' },
    attempts: 1,
  }),
  follow('a cursor that leads nowhere ends it', { after: 'e9' }, [cutOff()], {
    items: [],
    cutOff: [],
    error: { class: 'ApiError', code: 'ERR_CURSOR_001' },
    attempts: 1,
  }),
  follow(
    'what is temporary is borne, longer than by other calls',
    {},
    [events(['e1']), { reset: true }, failure(503), { status: 502, text: '<html>' }, failure(429), events(['e2'])],
    { items: items('e1', 'e2'), attempts: 6 },
    { take: 2, client: { retries: 1 } },
  ),
  follow(
    'the first answer must come within the repeats',
    {},
    [{ close: true }],
    {
      items: [],
      error: { class: 'ConnectionError' },
      attempts: 2,
    },
    { client: { retries: 1 } },
  ),
  follow(
    'repeats of the call bound every answer',
    {},
    [events(['e1']), { close: true }],
    {
      items: items('e1'),
      error: { class: 'ConnectionError' },
      attempts: 3,
    },
    { options: { retries: 1 } },
  ),
  follow(
    'a cron line gives up within the repeats',
    {},
    [events(['e1']), { close: true }],
    {
      items: items('e1'),
      error: { class: 'ConnectionError' },
      attempts: 3,
    },
    { options: stop, client: { retries: 1 } },
  ),
  follow('what repeating does not mend ends it', {}, [events(['e1']), failure(401)], {
    items: items('e1'),
    error: { class: 'ApiError', status: 401 },
    attempts: 2,
  }),
];

export default [...pagination, ...feed];
