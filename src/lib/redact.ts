import { isExactNumber } from './json.ts'

const GONE = '[redacted]'

const SECRET_INSIDE = /secret|passw|passphrase|authorization|apikey|privatekey|credential|cookie/
const SECRET_AT_END = /(?:tokens?|otp|bvn|cvv2?|cvc2?|pan|cardnumber|cardno)$/
const SECRET_WORDS = new Set(['pin', 'pins', 'otp', 'bvn', 'nin', 'cvv', 'cvc'])
const ACCOUNT_AT_END = /(?:accountnumbers?|accountno|acctno|nuban|iban)$/
const PHONE_INSIDE = /phone|mobile|msisdn|whatsapp/

/** What the value of a field can contain, according to the field's name. */
type Kind = 'secret' | 'account' | 'phone' | 'plain'

const kinds = new Map<string, Kind>()
const KINDS_MAX = 5_000
/** Longer names are not cached. */
const NAME_LENGTH_MAX = 64

/**
 * Caches the kinds, because names repeat a lot. Names that clients make up push the others out of
 * the cache only briefly.
 */
function kindOf(name: string): Kind {
  const known = kinds.get(name)
  if (known) return known
  const kind = kindBySpelling(name)
  if (name.length > NAME_LENGTH_MAX) return kind
  if (kinds.size >= KINDS_MAX) kinds.clear()
  kinds.set(name, kind)
  return kind
}

function kindBySpelling(name: string): Kind {
  const joined = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (SECRET_INSIDE.test(joined) || SECRET_AT_END.test(joined)) return 'secret'
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  if (words.split(/[^a-z]+/).some((word) => SECRET_WORDS.has(word))) return 'secret'
  if (/pins?$/.test(joined) && /^(?:transaction|card|user|wallet|login)/.test(joined))
    return 'secret'
  if (ACCOUNT_AT_END.test(joined)) return 'account'
  return PHONE_INSIDE.test(joined) ? 'phone' : 'plain'
}

/**
 * Matches if any of the patterns below could match. Most strings contain no such text, and are
 * scanned only once.
 */
const HINT =
  /[sp]k_(?:test|live)_|p[st]_|whsec_|flw(?:sec|pub)k|bearer\s|basic\s|eyJ|\d(?:[ .-]?\d){12}/i
const KEYS =
  /((?:[sp]k|p[st])_(?:test|live)_|whsec_|flw(?:sec|pub)k[_-]|(?<![a-z0-9])p[st]_)[\w+/=-]+/gi
const BEARER = /\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi
const WEB_TOKEN = /eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g
/**
 * Matches digits in groups, as people write them, because a card number can appear among other
 * numbers.
 */
const DIGITS = /\d+(?:[ .-]\d+)*/g
const DIGITS_LEAST = 13
const DIGITS_MOST = 19

/** Returns whether the string contains nothing that `redactText` would replace. */
export const isClean = (text: string): boolean => !HINT.test(text)

/** Returns the string without keys, tokens and card numbers, wherever they appear in it. */
export function redactText(text: string, isPhone = false): string {
  if (isClean(text)) return text
  return text
    .replace(KEYS, `$1${GONE}`)
    .replace(BEARER, `$1 ${GONE}`)
    .replace(WEB_TOKEN, GONE)
    .replace(DIGITS, (digits, at: number) => {
      if (digits.length < DIGITS_LEAST) return digits
      // Phone numbers with a country code also have 13 digits, but card numbers are never written
      // with a plus sign.
      const isCountry = text[at - 1] === '+' || (isPhone && digits.startsWith('234'))
      return hasCard(digits.split(/[ .-]/), isCountry ? 1 : 0) ? GONE : digits
    })
}

/** Returns whether one or more consecutive groups form a card number. */
function hasCard(groups: readonly string[], from: number): boolean {
  for (let i = from; i < groups.length; i++) {
    let digits = ''
    for (let j = i; j < groups.length && digits.length < DIGITS_MOST; j++) {
      digits += groups[j]
      if (isCard(digits)) return true
    }
  }
  return false
}

/** Checks the length and the Luhn digit. */
function isCard(digits: string): boolean {
  if (digits.length < DIGITS_LEAST || digits.length > DIGITS_MOST) return false
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

function redactField(name: string, value: string): string {
  const kind = kindOf(name)
  if (kind === 'secret') return GONE
  if (kind === 'account') return lastFour(value)
  return redactText(value, kind === 'phone')
}

/** Text with few digits, such as a sentence about an account number, is kept. */
const lastFour = (text: string): string =>
  text.replace(/\D/g, '').length < 6 ? redactText(text) : `…${text.slice(-4)}`

/**
 * Returns the path and query as received, without secrets. Checks them after decoding, as the
 * server decodes them, so `%73k_test_…` counts as a key.
 */
export function redactUrl(url: string): string {
  const at = url.indexOf('?')
  if (at === -1) return redactPath(url)
  const pairs = url.slice(at + 1).split('&')
  return `${redactPath(url.slice(0, at))}?${pairs.map(redactPair).join('&')}`
}

/** Redacts a complete URL, such as an endpoint's. Also removes any user name and password. */
const redactAddress = (address: string): string =>
  redactUrl(address).replace(/^(https?:\/\/)[^/?#@]*@/i, `$1${GONE}@`)

const redactPath = (path: string): string =>
  !isEscaped(path) && isClean(path)
    ? path
    : path
        .split('/')
        .map((step) => kept(step, redactText))
        .join('/')

function redactPair(pair: string): string {
  const at = pair.indexOf('=')
  if (at === -1) return kept(pair, redactText)
  const name = pair.slice(0, at)
  const value = pair.slice(at + 1)
  return `${kept(name, redactText)}=${kept(value, (text) => redactField(decoded(name), text))}`
}

/** Returns the string as sent, unless something in it was redacted. */
function kept(sent: string, redact: (text: string) => string): string {
  const text = decoded(sent)
  const shown = redact(text)
  return shown === text ? sent : shown.replace(/[&?#/=\s]/g, (sign) => encodeURIComponent(sign))
}

const isEscaped = (sent: string): boolean => sent.includes('%') || sent.includes('+')

function decoded(sent: string): string {
  if (!isEscaped(sent)) return sent
  try {
    return decodeURIComponent(sent.replaceAll('+', ' '))
  } catch {
    return sent
  }
}

/** Longer strings in a body, such as base64 files, are cut so that other fields remain visible. */
const TEXT_LENGTH_MAX = 500
/**
 * How far to read beyond a cut, so that a secret that starts before the cut is still recognised.
 */
const BEYOND = 256
/** Parsed JSON has at most 32 levels, so this only cuts values that our own code built. */
const DEPTH_MAX = 40

export interface Shown {
  text: string
  truncated: boolean
}

/**
 * Returns a value as redacted JSON of at most `bytesMax` bytes. The cost does not grow with the
 * value. `clean` means that the strings contain no secrets, except under sensitive names.
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

/** Returns the start of a string, at most `bytesMax` bytes long, without splitting a character. */
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
  else if (typeof value === 'number') printNumber(out, kind, JSON.stringify(value))
  else if (typeof value === 'bigint') printNumber(out, kind, String(value))
  else if (isExactNumber(value)) printNumber(out, kind, value.rawJSON)
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
  // Escapes NUL and lone surrogates, which PostgreSQL rejects.
  out.text += JSON.stringify(kept)
}

function shownOf(text: string, kind: Kind, clean: boolean): string {
  if (kind === 'account') return lastFour(text)
  if (/^https?:\/\//i.test(text)) return redactAddress(text)
  return clean ? text : redactText(text, kind === 'phone')
}

function printNumber(out: Printer, kind: Kind, text: string): void {
  if (kind === 'account') out.text += JSON.stringify(lastFour(text))
  else out.text += /^\d+$/.test(text) && isCard(text) ? `"${GONE}"` : text
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

/**
 * Values inside an object with a sensitive name are redacted as well: `accountNumber: { value: …
 * }`.
 */
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
