import { BASE62 } from '../../lib/tokens.ts'

/**
 * The references that providers get. Ours do not fit everywhere: Paystack's charges allow no
 * underscore, and its transfers no capital letters. These have 28 to 32 characters of `a-z0-9-`,
 * which every provider accepts, and can be turned back.
 */

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** 24 characters of base 32 have 120 bits, and 20 of base 62 have less. */
const RECORD_CHARACTERS = 20
const SENT_CHARACTERS = 24
const ATTEMPT_MAX = 999

const RECORD = new RegExp(`^([A-Z]{3})_([0-9A-Za-z]{${RECORD_CHARACTERS}})$`)
const SENT = new RegExp(`^([a-z]{3})-([a-z2-7]{${SENT_CHARACTERS}})(?:-([1-9]\\d{0,2}))?$`)

/**
 * Returns the reference under which an attempt to order is sent: `trf-…`, and `trf-…-2` for the
 * second one. Throws if `reference` was not made by `newReference` with a prefix of three letters,
 * as a reference that a caller chose cannot be sent.
 */
export function sentReferenceOf(reference: string, attempt: number): string {
  const [, prefix, digits] = RECORD.exec(reference) ?? []
  if (!prefix || !digits) throw new Error(`${reference} is not a reference that can be sent`)
  if (!Number.isInteger(attempt) || attempt < 1 || attempt > ATTEMPT_MAX) {
    throw new Error(`${reference} cannot be sent as attempt ${attempt}`)
  }
  const text = print(read(digits, BASE62), BASE32, SENT_CHARACTERS)
  return `${prefix.toLowerCase()}-${text}${attempt === 1 ? '' : `-${attempt}`}`
}

/** Returns the record and attempt that a reference was sent for; undefined if it is not ours. */
export function recordReferenceOf(
  sent: string,
): { reference: string; attempt: number } | undefined {
  const [, prefix, digits, suffix = '1'] = SENT.exec(sent) ?? []
  if (!prefix || !digits) return undefined
  const reference = `${prefix.toUpperCase()}_${print(read(digits, BASE32), BASE62, RECORD_CHARACTERS)}`
  const attempt = Number(suffix)
  // One attempt has one reference: `-1`, and numbers that are too large for ours, were never sent.
  return RECORD.test(reference) && sentReferenceOf(reference, attempt) === sent
    ? { reference, attempt }
    : undefined
}

function read(digits: string, alphabet: string): bigint {
  let number = 0n
  for (const digit of digits) {
    number = number * BigInt(alphabet.length) + BigInt(alphabet.indexOf(digit))
  }
  return number
}

function print(number: bigint, alphabet: string, width: number): string {
  let digits = ''
  for (let left = number; left > 0n; left /= BigInt(alphabet.length)) {
    digits = alphabet[Number(left % BigInt(alphabet.length))]! + digits
  }
  return digits.padStart(width, alphabet[0]!)
}
