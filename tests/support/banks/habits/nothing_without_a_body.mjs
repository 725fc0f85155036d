import { findsNone } from '../../../bank/finds_none.mjs';

// Inter.
export default {
  what: 'answers 200 without a body where it finds no payments',
  source: 'https://github.com/allgood/APInter-PHP/issues/51',
  family: 'nothing',
  answer: (answer, call) => (findsNone(answer, call) ? { ...answer, body: Buffer.alloc(0) } : answer),
};
