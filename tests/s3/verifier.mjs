// Verifies requests as AWS documents it for "Signature Version 4" of S3, with headers. Written from that document
// alone: it shares nothing with what signs.
import { createHash, createHmac } from 'node:crypto'

export const credentials = { id: 'S3RVER', secret: 'a-secret-of-the-tests/+=', token: 'a-session-token' }

const skewMax = 15 * 60 * 1000
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')
const hmac = (key, text) => createHmac('sha256', key).update(text).digest()

export class S3Error extends Error {
  constructor(status, code, more = '', headers = {}) {
    super(code)
    Object.assign(this, { status, code, more, headers })
  }
  get body() {
    return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${this.code}</Code><Message>x</Message>${this.more}</Error>`
  }
}

const encode = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase())

const parseTime = (text) => {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '')
  if (!parts) throw new S3Error(403, 'AccessDenied')
  const [, year, month, day, hour, minute, second] = parts.map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

// Throws S3Error unless the request is signed by these credentials, now, with all that matters.
export function verify({ method, url, headers, body }) {
  const given = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
    headers.authorization ?? '')
  if (!given) throw new S3Error(403, 'AccessDenied')
  const [, credential, names, signature] = given
  const [id, day, region, service, terminator] = credential.split('/')
  if (id !== credentials.id) throw new S3Error(403, 'InvalidAccessKeyId')
  if (service !== 's3' || terminator !== 'aws4_request') throw new S3Error(400, 'AuthorizationHeaderMalformed')
  if (region !== 'us-east-1')
    throw new S3Error(400, 'AuthorizationHeaderMalformed', '<Region>us-east-1</Region>')
  const time = headers['x-amz-date']
  if (Math.abs(parseTime(time) - Date.now()) > skewMax)
    throw new S3Error(403, 'RequestTimeTooSkewed', `<ServerTime>${new Date().toISOString()}</ServerTime>`)
  const token = headers['x-amz-security-token']
  if (token !== undefined && token !== credentials.token) throw new S3Error(403, 'InvalidToken')

  const signed = names.split(';')
  const must = Object.keys(headers).filter((name) =>
    name.startsWith('x-amz-') || ['host', 'range', 'content-md5'].includes(name))
  if (must.some((name) => !signed.includes(name)) || signed.join() !== [...signed].sort().join())
    throw new S3Error(403, 'AccessDenied')
  const digest = headers['x-amz-content-sha256']
  if (digest !== sha256(body)) throw new S3Error(400, 'XAmzContentSHA256Mismatch')
  if (headers['content-md5'] && headers['content-md5'] !== createHash('md5').update(body).digest('base64'))
    throw new S3Error(400, 'BadDigest')

  const [path, query = ''] = url.split('?')
  const canonicalPath = path.split('/').map((part) => encode(decodeURIComponent(part))).join('/')
  const canonicalQuery = query === '' ? '' : query.split('&').map((field) => {
    const [name, value = ''] = field.split('=').map(decodeURIComponent)
    return `${encode(name)}=${encode(value)}`
  }).sort().join('&')
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}\n`).join('')
  const canonical = [method, canonicalPath, canonicalQuery, lines, names, digest].join('\n')
  const scope = [day, region, service, terminator].join('/')
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [day, region, service, terminator].reduce(hmac, 'AWS4' + credentials.secret)
  if (!time.startsWith(day) || hmac(key, text).toString('hex') !== signature)
    throw new S3Error(403, 'SignatureDoesNotMatch')
}
