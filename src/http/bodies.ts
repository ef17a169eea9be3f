import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import secureJson from 'secure-json-parse'
import type { StoredResponse } from '../db/idempotency.ts'
import type { CodeOf } from '../lib/error-codes.ts'
import { FIELD_ERRORS_MAX, invalid, Problem } from '../lib/problem.ts'

const DEPTH_MAX = 32
const NAME_LENGTH_MAX = 200

const bad = (code: CodeOf<'invalid'>, message: string) => new Problem('invalid', code, message)

/** Returns whether a content type is JSON in UTF-8; the server reads no other charset. */
export function isJsonUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}

/**
 * Reads a request body. Refuses with 400 anything that the parser would silently fix or the
 * database would refuse: bytes that are not UTF-8, nesting over 32 levels, names over 200
 * characters, NUL, lone surrogates, `__proto__`.
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw bad('invalid_utf8', 'The body is not valid UTF-8.')
  const text = bytes.toString('utf8')
  if (isTooDeep(text)) throw bad('body_too_deep', `Nesting is limited to ${DEPTH_MAX} levels.`)
  let value: unknown
  try {
    value = secureJson.parse(text, undefined, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    throw bad('invalid_json', `The body is not valid JSON: ${(error as Error).message}`)
  }
  refuseBadText(value)
  return value
}

/** Counts brackets outside strings, before any parser recurses into them. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 0x22) i = endOfString(text, i)
    else if (char === 0x7b || char === 0x5b) {
      if (++depth > DEPTH_MAX) return true
    } else if (char === 0x7d || char === 0x5d) depth--
  }
  return false
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes++
  return slashes % 2 === 1
}

/** PostgreSQL cannot store NUL or half a surrogate pair. */
const isBadText = (text: string): boolean => text.includes('\0') || !text.isWellFormed()

const BAD_TEXT = 'must not contain NUL characters or unpaired surrogates'
const BAD_NAME = 'must not have a name with NUL characters or unpaired surrogates'
const LONG_NAME = `must have property names of at most ${NAME_LENGTH_MAX} characters`

/**
 * Throws 400 naming the fields whose value or name cannot be stored. Stops at the twentieth such
 * field, and builds paths only for the fields it names.
 */
export function refuseBadText(value: unknown): void {
  const fields = new Map<string, string[]>()
  const steps: string[] = []
  let faults = 0
  const note = (says: string): boolean => {
    fields.set(steps.join('.') || 'body', [says])
    return ++faults === FIELD_ERRORS_MAX
  }
  /** Returns whether enough errors have been found. */
  const visit = (part: unknown): boolean => {
    if (typeof part === 'string') return isBadText(part) && note(BAD_TEXT)
    if (typeof part !== 'object' || part === null) return false
    for (const name of Object.keys(part)) {
      const fault = name.length > NAME_LENGTH_MAX ? LONG_NAME : isBadText(name) && BAD_NAME
      if (fault) {
        if (note(fault)) return true
        continue
      }
      steps.push(name)
      if (visit((part as Record<string, unknown>)[name])) return true
      steps.pop()
    }
    return false
  }
  visit(value)
  if (faults > 0) throw invalid(Object.fromEntries(fields), 'invalid_text')
}

const KIB = 1024

/** The largest body for each use. A route that doesn't specify one gets the first. */
export const BODY_BYTES_MAX = {
  /** The dashboard's own routes, tokens and payer forms. */
  plain: 16 * KIB,
  /** Forms with lists or long strings. */
  form: 64 * KIB,
  /** API operations. */
  operation: 256 * KIB,
  /** Operations that accept an image as base64. */
  picture: 1024 * KIB,
}

export const sizeOf = (bytes: number): string =>
  bytes < 1024 * KIB ? `${bytes / KIB} KiB` : `${bytes / KIB / 1024} MiB`

/**
 * Returns a response whose secrets (the fields `names` in `body.data`) become null in a replay,
 * because the stored response never contains them.
 */
export function withoutSecrets(
  answer: StoredResponse,
  body: unknown,
  names: readonly string[] = [],
): StoredResponse {
  const { data } = (body ?? {}) as { data?: Record<string, unknown> }
  const secrets = names.map((name) => data?.[name]).filter((value) => typeof value === 'string')
  if (secrets.length === 0) return answer
  const blank = (text: string, secret: string) => text.replaceAll(JSON.stringify(secret), 'null')
  return { ...answer, kept: secrets.reduce(blank, answer.body) }
}

const FORM = 'application/x-www-form-urlencoded'

/** Makes the operations in a Fastify scope accept only bodies that are forms. */
export function readOnlyForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    FORM,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, bytes: Buffer) => {
      const { 'content-encoding': encoding, 'content-type': type } = request.headers
      if ((encoding && encoding !== 'identity') || !isJsonUtf8(String(type))) throw noForm()
      return parseForm(bytes)
    },
  )
  scope.addContentTypeParser('*', async () => {
    throw noForm()
  })
}

const noForm = () =>
  new Problem('unsupported', 'unsupported_content_type', `Send the body as ${FORM} in UTF-8.`)

/** Empty values count as missing, and no field can be repeated (RFC 6749, 3.2). */
function parseForm(bytes: Buffer): Record<string, string> {
  if (!isUtf8(bytes)) throw new Problem('invalid', 'invalid_utf8', 'The body is not valid UTF-8.')
  const sent = [...new URLSearchParams(bytes.toString('utf8'))].filter(([, value]) => value !== '')
  const values = Object.fromEntries(sent)
  refuseBadText(values)
  const seen = new Set<string>()
  const repeated = sent.filter(([name]) => seen.size === seen.add(name).size)
  if (repeated.length === 0) return values
  throw invalid(Object.fromEntries(repeated.map(([name]) => [name, ['must be sent only once']])))
}

/**
 * Makes the routes in a Fastify scope receive bodies as the bytes that were sent, whatever their
 * content type, for signatures that are made over those bytes.
 */
export function readRaw(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (_request: unknown, bytes: Buffer) => bytes,
  )
}
