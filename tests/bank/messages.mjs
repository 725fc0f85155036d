// Requests and answers as values: {status, headers, body: Buffer}, the names of headers in lower case.
const bodyBytesMax = 1 << 20;

// Resolves to the text. Rejects where the other end goes away or sends more than a mebibyte.
export async function readBody(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > bodyBytesMax) throw new Error('the body is longer than a mebibyte');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

// Null drops the connection; `cut` drops it in the middle of the body. now: the bank's own clock.
export function writeAnswer(response, answer, now) {
  if (!answer || response.destroyed) {
    response.socket?.destroy();
    return;
  }
  const { status, headers, body, cut } = answer;
  response.sendDate = false;
  // No length may stand beside 204.
  const length = status === 204 ? {} : { 'content-length': body.length };
  response.writeHead(status, { ...headers, ...length, date: new Date(now).toUTCString() });
  if (!cut) {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, body.length >> 1), () => response.socket.destroy());
}
