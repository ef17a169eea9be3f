/** What stands where something was taken out. */
export const GONE = '[redacted]'

const SECRET_INSIDE = /secret|passw|passphrase|authorization|apikey|privatekey|credential|cookie/
const SECRET_AT_END = /(?:tokens?|otp|bvn|cvv2?|cvc2?|pan|cardnumber|cardno)$/
const SECRET_WORDS = new Set(['pin', 'pins', 'otp', 'bvn', 'nin', 'cvv', 'cvc'])
const ACCOUNT_AT_END = /(?:accountnumbers?|accountno|acctno|nuban|iban)$/
const PHONE_INSIDE = /phone|mobile|msisdn|whatsapp/

/** What a field may show, by its name. */
export type Kind = 'secret' | 'account' | 'phone' | 'plain'

const kinds = new Map<string, Kind>()
const KINDS_MAX = 5_000
/** Longer ones are not remembered. */
const NAME_LENGTH_MAX = 64

/** Names come again and again; those that clients make up do not crowd out the others for long. */
export function kindOf(name: string): Kind {
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

/** Whether any of the shapes may be there: most texts have none, and are looked through once. */
const HINT = /[sp]k_(?:test|live)_|p[st]_|whsec_|bearer\s|basic\s|eyJ|\d(?:[ .-]?\d){12}/i
const KEYS = /((?:[sp]k|p[st])_(?:test|live)_|whsec_|(?<![a-z0-9])p[st]_)[\w+/=-]+/gi
const BEARER = /\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi
const WEB_TOKEN = /eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g
/** Digits as people group them: a card may stand among other numbers. */
const DIGITS = /\d+(?:[ .-]\d+)*/g
const DIGITS_LEAST = 13
const DIGITS_MOST = 19

/** Whether there is nothing in it that `redactText` would replace, in none of its parts. */
export const isClean = (text: string): boolean => !HINT.test(text)

/** Without keys, tokens and card numbers, wherever in it they stand. */
export function redactText(text: string, isPhone = false): string {
  if (isClean(text)) return text
  return text
    .replace(KEYS, `$1${GONE}`)
    .replace(BEARER, `$1 ${GONE}`)
    .replace(WEB_TOKEN, GONE)
    .replace(DIGITS, (digits, at: number) => {
      if (digits.length < DIGITS_LEAST) return digits
      // Phones with their country have 13 digits, too; no card is written with a plus.
      const isCountry = text[at - 1] === '+' || (isPhone && digits.startsWith('234'))
      return hasCard(digits.split(/[ .-]/), isCountry ? 1 : 0) ? GONE : digits
    })
}

/** Whether a group by itself, or several one after the other, are a card's. */
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

/** By its check digit, after Luhn. */
export function isCard(digits: string): boolean {
  if (digits.length < DIGITS_LEAST || digits.length > DIGITS_MOST) return false
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** The value of a field or parameter as it may be shown. */
export function redactField(name: string, value: string): string {
  const kind = kindOf(name)
  if (kind === 'secret') return GONE
  if (kind === 'account') return lastFour(value)
  return redactText(value, kind === 'phone')
}

/** A sentence about an account number has hardly a digit, and stays. */
export const lastFour = (text: string): string =>
  text.replace(/\D/g, '').length < 6 ? redactText(text) : `…${text.slice(-4)}`
