import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ByteRange } from '../files/storage.ts'
import { Problem } from '../lib/problem.ts'

/** A successful response that is a file: either complete, or generated as the client reads it. */
export class Download {
  readonly content: Buffer | AsyncIterable<string>
  readonly type: string
  /** ASCII, without quotes. */
  readonly name: string
  readonly disposition: 'inline' | 'attachment'

  constructor(
    content: Buffer | AsyncIterable<string>,
    { type, name, disposition }: Pick<Download, 'type' | 'name' | 'disposition'>,
  ) {
    this.content = content
    this.type = type
    this.name = name
    this.disposition = disposition
  }
}

/** The `response` schema for a route that returns a file. */
export const FileOf = (contentMediaType: string) =>
  Type.Unsafe<Download>({ type: 'string', contentMediaType })

/** The `response` schema for a route that sends the response itself, before `handle` resolves. */
export const SentAs = (contentMediaType: string) =>
  Type.Unsafe<void>({ type: 'string', contentMediaType })

/**
 * Sends a file. If it fails after the start, closes the connection, so that no client mistakes a
 * part for the whole file. If the client disconnects, stops reading too.
 */
export function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, type, name, disposition }: Download,
): FastifyReply {
  reply.headers({
    'content-type': type,
    'content-disposition': `${disposition}; filename="${name}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  if (Buffer.isBuffer(content)) return reply.send(content)
  if (request.method === 'HEAD') return reply.send()
  return reply.send(Readable.from(content, { objectMode: false, highWaterMark: 64 * 1024 }))
}

/** A stored file. Its SHA-256 is its ETag, because the file never changes. */
interface KeptFile {
  bytes: number
  sha256: Buffer
  type: string
}

const tagOf = ({ sha256 }: KeptFile): string => `"${sha256.toString('base64url')}"`

/**
 * Returns the requested part of a file; undefined for the whole file. If the request asks for
 * several parts at once or for units other than bytes, or has an If-Range for another file, it gets
 * the whole file, as RFC 9110 allows. Throws 416 for a part beyond the end.
 */
export function requestedRange(
  { headers, method }: FastifyRequest,
  file: KeptFile,
): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '') ?? []
  if (method !== 'GET' || (from === '' && to === '')) return undefined
  const ifRange = headers['if-range']
  if (ifRange !== undefined && ifRange !== tagOf(file)) return undefined
  const last = file.bytes - 1
  if (from === '') {
    const length = Number(to)
    if (length === 0 || file.bytes === 0) throw notSatisfiable(file)
    return { start: Math.max(0, file.bytes - length), end: last }
  }
  const start = Number(from)
  const end = to === '' ? last : Math.min(Number(to), last)
  // A range that ends before it starts is invalid, so it is ignored.
  if (to !== '' && Number(to) < start) return undefined
  if (start > last) throw notSatisfiable(file)
  return { start, end }
}

const notSatisfiable = ({ bytes }: KeptFile) =>
  new Problem('unsatisfiable', 'range_not_satisfiable', 'Range starts after the end of the file.', {
    headers: { 'content-range': `bytes */${bytes}` },
  })

/**
 * A client that reads nothing for this long is disconnected within twice this time, and can resume
 * with a range request. The limit is long because a slow connection can take that long to deliver
 * data that has already been sent.
 */
const FILE_STALLED_MS = 30_000

/**
 * Sends a file or a part of it. Resolves to the fraction of its bytes that was sent, from 0 to 1.
 * If it fails after the start, closes the connection, so that no client mistakes a part for the
 * whole.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: KeptFile,
  { span, headers, open }: SendOptions,
): Promise<number> {
  const { start, end } = span ?? { start: 0, end: file.bytes - 1 }
  const isEmpty = request.method === 'HEAD' || file.bytes === 0
  const content = isEmpty ? undefined : await open()
  const { raw } = reply.hijack()
  const { socket } = raw
  const sentBefore = socket?.bytesWritten ?? 0
  raw.writeHead(span ? 206 : 200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': file.type,
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    etag: tagOf(file),
    ...(span && { 'content-range': `bytes ${start}-${end}/${file.bytes}` }),
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  raw.setTimeout(FILE_STALLED_MS, () => raw.destroy())
  try {
    await (content ? pipeline(content, raw) : raw.end())
    return 1
  } catch (error) {
    request.log.debug({ requestId: request.id, err: error }, 'a file was not sent completely')
    content?.destroy()
    raw.destroy()
    return Math.min(1, ((socket?.bytesWritten ?? 0) - sentBefore) / (end - start + 1))
  }
}

interface SendOptions {
  /** The result of `requestedRange`. */
  span?: ByteRange | undefined
  headers: Record<string, string>
  /** Only called if there are bytes to send. */
  open(): Promise<Readable>
}

/** Returns `attachment` with a name in any script (RFC 6266, RFC 8187) and an ASCII fallback. */
export function attachmentOf(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const full = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`
}
