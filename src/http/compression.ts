import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import type { FastifyRequest } from 'fastify'

/** The smallest first. Browsers accept `br` only over https, and from their own machine. */
const ENCODINGS = ['br', 'gzip'] as const
export type Encoding = (typeof ENCODINGS)[number]

/** Returns the encoding that makes a response smallest, of those that the client accepts. */
export function encodingFor({ headers }: Pick<FastifyRequest, 'headers'>): Encoding | undefined {
  const accepted = headers['accept-encoding'] ?? ''
  return ENCODINGS.find((encoding) => ACCEPTED[encoding].test(accepted))
}

/** The name of an encoding, unless it has the weight 0. */
const accepted = (name: Encoding) =>
  new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`)
const ACCEPTED = { br: accepted('br'), gzip: accepted('gzip') }

const brotliAt = (quality: number) => ({ params: { [constants.BROTLI_PARAM_QUALITY]: quality } })

/** Compresses a response that is made for one request, in about a millisecond. */
export const compressed = (text: string, encoding: Encoding): Buffer =>
  encoding === 'br' ? brotliCompressSync(text, brotliAt(5)) : gzipSync(text, { level: 5 })

const brotliSmall = promisify(brotliCompress)
const gzipSmall = promisify(gzip)

/** Compresses a file that many requests load, as far as possible. */
export const compressedFully = (bytes: Buffer, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br'
    ? brotliSmall(bytes, brotliAt(constants.BROTLI_MAX_QUALITY))
    : gzipSmall(bytes, { level: constants.Z_BEST_COMPRESSION })
