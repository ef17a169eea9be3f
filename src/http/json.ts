import { isUtf8 } from 'node:buffer'
import secureJson from 'secure-json-parse'
import type { CodeOf } from '../lib/error-codes.ts'
import { type Fields, invalid, Problem } from '../lib/problem.ts'

const DEPTH_MAX = 32

const bad = (code: CodeOf<'invalid'>, message: string) => new Problem('invalid', code, message)

/** Whether a content type is JSON in UTF-8: any other charset is not read. */
export function isJsonUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}

/**
 * Reads a request body. Refuses with 400 what would otherwise be mended in silence or refused by
 * the database: bytes that are not UTF-8, nesting over 32 levels, NUL, lone surrogates,
 * `__proto__`.
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  if (!isUtf8(bytes)) throw bad('invalid_utf8', 'The body is not valid UTF-8.')
  const text = bytes.toString('utf8')
  if (isTooDeep(text)) throw bad('body_too_deep', `The body is nested deeper than ${DEPTH_MAX}.`)
  let value: unknown
  try {
    value = secureJson.parse(text, undefined, { protoAction: 'error', constructorAction: 'error' })
  } catch (error) {
    throw bad('invalid_json', `The body is not valid JSON: ${(error as Error).message}`)
  }
  // Only an escape can smuggle in what UTF-8 and JSON themselves forbid.
  if (text.includes('\\u')) refuseBadText(value)
  return value
}

/** Brackets outside strings, counted before any parser recurses into them. */
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

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const isBadText = (text: string): boolean => text.includes('\0') || !text.isWellFormed()

/** Throws 400 naming each field whose text, or whose name, cannot be stored. */
export function refuseBadText(value: unknown): void {
  const fields: Fields = {}
  const visit = (part: unknown, path: string): void => {
    if (typeof part === 'string') {
      if (isBadText(part)) fields[path || 'body'] = ['must not contain NUL or unpaired surrogates']
    } else if (part && typeof part === 'object') {
      for (const [key, inner] of Object.entries(part)) {
        if (isBadText(key)) fields[path || 'body'] = ['has a name with NUL or unpaired surrogates']
        else visit(inner, path ? `${path}.${key}` : key)
      }
    }
  }
  visit(value, '')
  if (Object.keys(fields).length > 0) throw invalid(fields, 'invalid_text')
}
