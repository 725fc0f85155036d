// A stand-in, in memory, for what s3rver lacks: versions, object lock, lists of unfinished uploads, and faults. It
// follows AWS's reference of the API, and is no judge of it. Buckets:
//   versions      keeps versions
//   locked        the same, and retains each for a day
//   plain         neither
//   slow-down     the same; each request succeeds at the third attempt
//   resets        the same, by resetting the connection
//   busy, full, broken-off, elsewhere, moved, endless, entities, not-xml, deep, forbidden: always that fault
import { randomBytes } from 'node:crypto'

import { S3Error } from './verifier.mjs'

const day = 86_400_000
const pageEntries = 3
const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
const name = (tag, value) => `<${tag}>${value}</${tag}>`

class Bucket {
  keys = new Map() // key → versions, the newest last: {id, body (null: a removal), time, until, hold}
  uploads = new Map() // id → {key, time, parts}
  constructor(versioned, retained) {
    Object.assign(this, { versioned, retained })
  }
  put(key, body) {
    const version = { id: randomBytes(8).toString('hex'), body, time: Date.now() }
    if (this.retained && body) version.until = Date.now() + day
    const older = this.versioned ? (this.keys.get(key) ?? []) : []
    this.keys.set(key, [...older, version])
    return version
  }
  current(key) {
    const newest = this.keys.get(key)?.at(-1)
    if (!newest?.body) throw new S3Error(404, 'NoSuchKey')
    return newest
  }
  version(key, id) {
    const found = this.keys.get(key)?.find((version) => version.id === id)
    if (!found) throw new S3Error(404, 'NoSuchVersion')
    return found
  }
  remove(key, id) {
    if (!id) return this.versioned ? void this.put(key, null) : void this.keys.delete(key)
    const { until = 0, hold } = this.version(key, id)
    if (until > Date.now() || hold) throw new S3Error(403, 'AccessDenied')
    const left = this.keys.get(key).filter((version) => version.id !== id)
    left.length ? this.keys.set(key, left) : this.keys.delete(key)
  }
}

const buckets = { versions: new Bucket(true, false), locked: new Bucket(true, true), plain: new Bucket(false, false) }
buckets['slow-down'] = new Bucket(false, false)
buckets.resets = new Bucket(false, false)
const attempts = new Map()

const faults = {
  busy: () => { throw new S3Error(503, 'ServiceUnavailable') },
  full: () => { throw new S3Error(507, 'XMinioStorageFull') },
  'broken-off': () => ({ headers: { 'Content-Length': 1000 }, body: 'x', cut: true }),
  elsewhere: () => { throw new S3Error(301, 'PermanentRedirect', '', { 'x-amz-bucket-region': 'sa-east-1' }) },
  moved: () => {
    throw new S3Error(307, 'TemporaryRedirect', '<Endpoint>other.example</Endpoint>', { Location: 'https://other.example/' })
  },
  endless: () => ({
    body: declaration + '<ListBucketResult><IsTruncated>true</IsTruncated>' +
      '<NextContinuationToken>again</NextContinuationToken></ListBucketResult>',
  }),
  entities: () => ({ body: '<!DOCTYPE x [<!ENTITY a "b">]><ListBucketResult><Name>&a;</Name></ListBucketResult>' }),
  'not-xml': () => ({ body: '{"Contents":[]}' }),
  deep: () => ({ body: '<a>'.repeat(100_000) + '</a>'.repeat(100_000) }),
  forbidden: () => { throw new S3Error(403, 'AccessDenied') },
}

// One page of [sort keys…, xml] entries after the markers.
function page(root, entries, markers, nextNames) {
  const isAfter = (entry) => {
    const at = entry.sort.findIndex((part, i) => part !== markers[i])
    return at < 0 ? false : entry.sort[at] > markers[at]
  }
  const rest = markers[0] === undefined ? entries : entries.filter(isAfter)
  const shown = rest.slice(0, pageEntries)
  const isTruncated = rest.length > shown.length
  const next = isTruncated ? nextNames.map((each, i) => name(each, shown.at(-1).sort[i])).join('') : ''
  return { body: `${declaration}<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">` +
    name('IsTruncated', isTruncated) + next + shown.map(({ xml }) => xml).join('') + `</${root}>` }
}

const time = (millis) => new Date(millis).toISOString()
const keysWith = (bucket, prefix) => [...bucket.keys.keys()].filter((key) => key.startsWith(prefix)).sort()

function onBucket(bucket, method, query) {
  if (method !== 'GET') throw new S3Error(405, 'MethodNotAllowed')
  const prefix = query.get('prefix') ?? ''
  if (query.has('versioning'))
    return { body: `${declaration}<VersioningConfiguration>${bucket.versioned ? '<Status>Enabled</Status>' : ''}</VersioningConfiguration>` }
  if (query.has('versions')) {
    const entries = keysWith(bucket, prefix).flatMap((key) => {
      const versions = bucket.keys.get(key)
      // The newest first, as S3 lists them; the marker is the order among them.
      return versions.toReversed().map((version, i) => ({
        sort: [key, String(i).padStart(9, '0')],
        xml: name(version.body ? 'Version' : 'DeleteMarker', name('Key', key) + name('VersionId', version.id) +
          name('IsLatest', i === 0) + name('LastModified', time(version.time))),
      }))
    })
    return page('ListVersionsResult', entries, [query.get('key-marker') ?? undefined, query.get('version-id-marker')],
      ['NextKeyMarker', 'NextVersionIdMarker'])
  }
  if (query.has('uploads')) {
    const entries = [...bucket.uploads].filter(([, { key }]) => key.startsWith(prefix)).map(([id, { key, time: at }]) => ({
      sort: [key, id],
      xml: name('Upload', name('Key', key) + name('UploadId', id) + name('Initiated', time(at))),
    })).sort((a, b) => (a.sort.join() < b.sort.join() ? -1 : 1))
    return page('ListMultipartUploadsResult', entries, [query.get('key-marker') ?? undefined, query.get('upload-id-marker')],
      ['NextKeyMarker', 'NextUploadIdMarker'])
  }
  if (query.get('list-type') !== '2') throw new S3Error(501, 'NotImplemented')
  const entries = keysWith(bucket, prefix).filter((key) => bucket.keys.get(key).at(-1).body).map((key) => ({
    sort: [key], xml: name('Contents', name('Key', key) + name('Size', bucket.keys.get(key).at(-1).body.length)),
  }))
  return page('ListBucketResult', entries, [query.get('continuation-token') ?? undefined], ['NextContinuationToken'])
}

function get(bucket, key, query, headers) {
  const version = query.has('versionId') ? bucket.version(key, query.get('versionId')) : bucket.current(key)
  const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '')
  if (!range) return { body: version.body }
  const [from, to] = [Number(range[1]), Math.min(Number(range[2]), version.body.length - 1)]
  if (from >= version.body.length) throw new S3Error(416, 'InvalidRange')
  return { status: 206, headers: { 'Content-Range': `bytes ${from}-${to}/${version.body.length}` },
    body: version.body.subarray(from, to + 1) }
}

function onObject(bucket, key, { method, query, headers, body }) {
  const upload = bucket.uploads.get(query.get('uploadId'))
  if (query.has('uploadId') && upload?.key !== key) throw new S3Error(404, 'NoSuchUpload')
  if (method === 'GET') return get(bucket, key, query, headers)
  if (method === 'HEAD') {
    const { until, hold, body: whole } = bucket.version(key, query.get('versionId'))
    return { headers: {
      'Content-Length': whole.length,
      ...(until && { 'x-amz-object-lock-mode': 'GOVERNANCE', 'x-amz-object-lock-retain-until-date': time(until) }),
      'x-amz-object-lock-legal-hold': hold ? 'ON' : 'OFF',
    } }
  }
  if (method === 'PUT' && query.has('legal-hold')) {
    bucket.version(key, query.get('versionId') ?? bucket.current(key).id).hold = String(body).includes('ON')
    return {}
  }
  if (method === 'PUT') {
    if (bucket.retained && !headers['content-md5']) throw new S3Error(400, 'InvalidRequest')
    if (!upload) return bucket.put(key, body), {}
    upload.parts[Number(query.get('partNumber'))] = body
    return { headers: { ETag: `"${query.get('partNumber')}-tag"` } }
  }
  if (method === 'POST' && query.has('uploads')) {
    const id = randomBytes(8).toString('base64')
    // One that a test calls old was forgotten two hours ago.
    bucket.uploads.set(id, { key, time: Date.now() - (key.includes('forgotten') ? 7_200_000 : 0), parts: [] })
    return { body: `${declaration}<InitiateMultipartUploadResult>${name('UploadId', id)}</InitiateMultipartUploadResult>` }
  }
  if (method === 'POST' && upload) {
    const parts = [...String(body).matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>&quot;(\d+)-tag&quot;<\/ETag>/g)]
    const isRight = parts.length && parts.every(([, number, tag], i) => number === tag && Number(number) === i + 1)
    if (!isRight || parts.length !== upload.parts.length - 1) throw new S3Error(400, 'InvalidPart')
    if (upload.parts.slice(1, -1).some((part) => part.length < 5 << 20)) throw new S3Error(400, 'EntityTooSmall')
    bucket.uploads.delete(query.get('uploadId'))
    // As S3, it has begun to answer before it knows.
    if (key.endsWith('late-fault')) return { body: new S3Error(200, 'InvalidPart').body }
    bucket.put(key, Buffer.concat(upload.parts.slice(1)))
    return { body: `${declaration}<CompleteMultipartUploadResult>${name('Key', key)}</CompleteMultipartUploadResult>` }
  }
  if (method === 'DELETE') {
    upload ? bucket.uploads.delete(query.get('uploadId')) : bucket.remove(key, query.get('versionId'))
    return { status: 204 }
  }
  throw new S3Error(405, 'MethodNotAllowed')
}

// {method, url, headers, body} → {status, headers, body, cut, reset}. Throws S3Error.
export function answer(request) {
  const [path, search = ''] = request.url.split('?')
  const [, bucketName, ...rest] = path.split('/').map(decodeURIComponent)
  const query = new URLSearchParams(search)
  if (faults[bucketName]) return faults[bucketName]()
  const bucket = buckets[bucketName]
  if (!bucket) throw new S3Error(404, 'NoSuchBucket')
  if (bucketName === 'slow-down' || bucketName === 'resets') {
    const attempt = (attempts.get(request.method + request.url) ?? 0) + 1
    attempts.set(request.method + request.url, attempt)
    if (attempt % 3 && bucketName === 'resets') return { reset: true }
    if (attempt % 3) throw new S3Error(attempt % 3 === 1 ? 503 : 500, attempt % 3 === 1 ? 'SlowDown' : 'InternalError')
  }
  const key = rest.join('/')
  return key ? onObject(bucket, key, { ...request, query }) : onBucket(bucket, request.method, query)
}
