// Usage: serve.mjs PORT_FILE DIRECTORY
// Two S3 services on one free port of 127.0.0.1: s3rver, whose one bucket is "others", and the stand-in for all other
// buckets. Both are behind the verifier, since s3rver verifies no Signature Version 4.
import { renameSync, writeFileSync } from 'node:fs'
import { createServer, request as send } from 'node:http'

import S3rver from 's3rver'

import { answer } from './stand_in.mjs'
import { S3Error, verify } from './verifier.mjs'

const [portFile, directory] = process.argv.slice(2)
const { port: s3rverPort } = await new S3rver({
  address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets: [{ name: 'others' }],
}).run()

function forward({ method, url, headers, body }, reply) {
  const onward = send({ host: '127.0.0.1', port: s3rverPort, method, path: url, headers }, (answered) => {
    reply.writeHead(answered.statusCode, answered.headers)
    answered.pipe(reply)
  })
  onward.end(body)
}

function serve(request, reply) {
  try {
    verify(request)
    if (/^\/others(\/|\?|$)/.test(request.url)) return forward(request, reply)
    const { status = 200, headers = {}, body = '', cut, reset } = answer(request)
    if (reset) return reply.socket.resetAndDestroy()
    reply.writeHead(status, { Server: 'pixledger-s3-stand-in', 'Content-Length': Buffer.byteLength(body), ...headers })
    cut ? reply.write(body, () => reply.destroy()) : reply.end(body)
  } catch (error) {
    const { status, body, headers } = error instanceof S3Error ? error : new S3Error(400, 'Unexpected' + error.name)
    reply.writeHead(status, { 'Content-Type': 'application/xml', 'Content-Length': Buffer.byteLength(body), ...headers })
    reply.end(body)
  }
}

const server = createServer((incoming, reply) => {
  const pieces = []
  incoming.on('data', (piece) => pieces.push(piece))
  incoming.on('end', () => serve({
    method: incoming.method, url: incoming.url, headers: incoming.headers, body: Buffer.concat(pieces),
  }, reply))
})
server.listen(0, '127.0.0.1', () => {
  writeFileSync(portFile + '.new', String(server.address().port))
  renameSync(portFile + '.new', portFile)
})
