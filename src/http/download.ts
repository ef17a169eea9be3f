import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'

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
