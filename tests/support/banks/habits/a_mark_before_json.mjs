const mark = Buffer.from([0xef, 0xbb, 0xbf]);

export default {
  what: 'puts a byte order mark before its JSON, and writes the charset in its own way',
  source: 'https://www.rfc-editor.org/rfc/rfc8259#section-8.1',
  answer(answer) {
    if (answer.body.length === 0) return answer;
    const headers = { ...answer.headers, 'content-type': 'application/json; charset="utf8"' };
    return { ...answer, headers, body: Buffer.concat([mark, answer.body]) };
  },
};
