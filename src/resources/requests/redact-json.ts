import { GONE, isCard, type Kind, kindOf, lastFour, redactText } from './redact.ts'
import { redactAddress } from './redact-url.ts'

/** Longer texts in a body, such as files in base64, are cut so that the other fields are seen. */
const TEXT_LENGTH_MAX = 500
/** What may begin before a cut and end behind it is recognised as a whole. */
const BEYOND = 256
/** JSON that was parsed is nested 32 deep at most; what was made here may be cut anywhere. */
const DEPTH_MAX = 40

export interface Shown {
  text: string
  truncated: boolean
}

/**
 * JSON of a value, redacted, and no more of it than is kept: the cost does not grow with it.
 * `clean` says that only what is named as a secret can be one.
 */
export function redactedJson(value: unknown, bytesMax: number, clean = false): Shown {
  const out = new Printer(bytesMax, clean)
  printValue(out, 'plain', value, 0)
  return out.end()
}

class Printer {
  text = ''
  truncated = false
  readonly clean: boolean
  readonly #bytesMax: number

  constructor(bytesMax: number, clean: boolean) {
    this.#bytesMax = bytesMax
    this.clean = clean
  }

  get isFull(): boolean {
    return this.text.length > this.#bytesMax
  }

  end(): Shown {
    const { text, truncated } = cut(this.text, this.#bytesMax)
    return { text, truncated: truncated || this.truncated }
  }
}

/** The beginning of a text, at most so many bytes, and no half of a character. */
export function cut(text: string, bytesMax: number): Shown {
  if (text.length * 3 <= bytesMax) return { text, truncated: false }
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return { text, truncated: false }
  let end = bytesMax
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return { text: bytes.toString('utf8', 0, end), truncated: true }
}

function printValue(out: Printer, kind: Kind, value: unknown, depth: number): void {
  if (typeof value === 'string') printText(out, kind, value)
  else if (value === null || value === undefined || typeof value === 'boolean') {
    out.text += value ?? 'null'
  } else if (kind === 'secret' || depth > DEPTH_MAX) out.text += `"${GONE}"`
  else if (typeof value === 'number') printNumber(out, kind, value)
  else if (Array.isArray(value)) printList(out, kind, value, depth)
  else printObject(out, kind, value as object, depth)
}

function printText(out: Printer, kind: Kind, value: string): void {
  if (kind === 'secret') {
    out.text += `"${GONE}"`
    return
  }
  const isLong = value.length > TEXT_LENGTH_MAX
  const seen = isLong ? value.slice(0, TEXT_LENGTH_MAX + BEYOND) : value
  const shown = shownOf(seen, kind, out.clean)
  if (isLong) out.truncated = true
  const kept = isLong ? `${shown.slice(0, TEXT_LENGTH_MAX)}… (${value.length} characters)` : shown
  // NUL and halves of characters, which PostgreSQL does not take, are escaped here.
  out.text += JSON.stringify(kept)
}

function shownOf(text: string, kind: Kind, clean: boolean): string {
  if (kind === 'account') return lastFour(text)
  if (/^https?:\/\//i.test(text)) return redactAddress(text)
  return clean ? text : redactText(text, kind === 'phone')
}

function printNumber(out: Printer, kind: Kind, value: number): void {
  const text = JSON.stringify(value)
  if (kind === 'account') out.text += JSON.stringify(lastFour(text))
  else out.text += Number.isInteger(value) && isCard(text) ? `"${GONE}"` : text
}

function printList(out: Printer, kind: Kind, values: unknown[], depth: number): void {
  out.text += '['
  for (const [i, value] of values.entries()) {
    if (out.isFull) break
    if (i > 0) out.text += ','
    printValue(out, kind, value, depth + 1)
  }
  out.text += ']'
}

/** What stands inside an object that was named so is so, too: `accountNumber: { value: … }`. */
function printObject(out: Printer, outer: Kind, value: object, depth: number): void {
  out.text += '{'
  let isFirst = true
  for (const name in value) {
    if (out.isFull) break
    const inner = (value as Record<string, unknown>)[name]
    if (inner === undefined) continue
    if (!isFirst) out.text += ','
    isFirst = false
    const kind = kindOf(name)
    printText(out, 'plain', name)
    out.text += ':'
    printValue(out, kind === 'plain' ? outer : kind, inner, depth + 1)
  }
  out.text += '}'
}
