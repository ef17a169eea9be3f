import { en, type MessageStatus, type Texts } from './texts/en.ts'
import { fr } from './texts/fr.ts'
import { ha } from './texts/ha.ts'
import { ig } from './texts/ig.ts'
import { yo } from './texts/yo.ts'

export type { Texts } from './texts/en.ts'

const texts = { en, fr, ha, yo, ig }

export type Language = keyof typeof texts

/** The languages in the order of the language switch. The first is the default. */
export const LANGUAGES = Object.keys(texts) as Language[]

export const isLanguage = (code: string): code is Language => Object.hasOwn(texts, code)

/** Returns the wording for a locale: `fr-SN` gets French, unsupported languages get English. */
export function textsOf(locale: string): Texts {
  const language = locale.split('-')[0] ?? ''
  return isLanguage(language) ? texts[language] : en
}

/**
 * Languages whose regions format amounts and dates differently but use the same words for them.
 * Other languages are always formatted as in Nigeria: Benin, for example, spells the months
 * differently from our Yoruba.
 */
const PRINTED_BY_REGION: readonly string[] = ['en', 'fr']

/**
 * Returns the locale for amounts and dates. Keeps French month names out of English text, and
 * ignores the digits and calendars that a locale can request (`en-NG-u-nu-beng`).
 */
export function printLocaleOf(locale: string): string {
  const { language, locale: own } = textsOf(locale)
  const plain = /^[a-z]+-[A-Z]{2}(?=-|$)/.exec(locale)?.[0]
  const isOurs = plain?.startsWith(`${language}-`) && PRINTED_BY_REGION.includes(language)
  return plain && isOurs ? plain : own
}

/**
 * Returns the title and text of the message page for an HTTP status. A status without its own
 * wording gets the wording for 400 or 500. `closed`: the operator has paused the business.
 */
export function messageTexts(
  status: number | 'closed',
  locale: string,
): { title: string; text: string } {
  const { message } = textsOf(locale)
  const isKnown = status === 'closed' || status in message
  const known = isKnown ? (status as MessageStatus) : status < 500 ? 400 : 500
  const [title, text] = message[known]
  return { title, text }
}
