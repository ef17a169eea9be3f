import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Span } from '../files/storage.ts'
import { Problem } from '../lib/problem.ts'

/** A success that is a file: whole, or made bit by bit as the client takes it. */
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

/** The `answer` of a route that gives a file. */
export const FileOf = (contentMediaType: string) =>
  Type.Unsafe<Download>({ type: 'string', contentMediaType })

/** The `answer` of a route that sends it itself, before `handle` resolves. */
export const SentAs = (contentMediaType: string) =>
  Type.Unsafe<void>({ type: 'string', contentMediaType })

/** A client that takes nothing for so long is given up. */
const STALLED_MS = 60_000

/**
 * What goes wrong once a file has begun breaks the connection off, so that no client takes a part
 * for the whole. A client that leaves ends the reading too.
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
  reply.raw.setTimeout(STALLED_MS, () => reply.raw.destroy())
  return reply.send(Readable.from(content, { objectMode: false, highWaterMark: 64 * 1024 }))
}

/** A file as it is kept: it never changes, so its SHA-256 is its tag. */
interface KeptFile {
  bytes: number
  sha256: Buffer
  type: string
}

const tagOf = ({ sha256 }: KeptFile): string => `"${sha256.toString('base64url')}"`

/**
 * The part of a file that is asked for; undefined for all of it. Several parts at once, units other
 * than bytes, and an If-Range of another file are answered with all of it, as RFC 9110 allows.
 * Throws 416 for a part behind the end.
 */
export function askedSpan({ headers, method }: FastifyRequest, file: KeptFile): Span | undefined {
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
  // A range that ends before it begins is none at all.
  if (to !== '' && Number(to) < start) return undefined
  if (start > last) throw notSatisfiable(file)
  return { start, end }
}

const notSatisfiable = ({ bytes }: KeptFile) =>
  new Problem('unsatisfiable', 'range_not_satisfiable', 'The file is shorter than that.', {
    headers: { 'content-range': `bytes */${bytes}` },
  })

/**
 * A client that takes nothing for so long is disconnected, at the latest after twice this time. It
 * can continue with a range. A slow line may take that long to pass on what was sent.
 */
const FILE_STALLED_MS = 30_000

/**
 * Sends a file, or a part of it. Resolves to the share of its bytes that was sent, from 0 to 1.
 * What goes wrong after the start breaks the connection, so that no client takes a part for all.
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
  /** As `askedSpan` answered. */
  span?: Span | undefined
  headers: Record<string, string>
  /** Only called when bytes are to be sent. */
  open(): Promise<Readable>
}

/** `attachment` under a name in any script (RFC 6266, RFC 8187), with an ASCII one beside it. */
export function attachmentOf(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const full = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`
}
