import { en, type MessageStatus, type Texts } from './texts/en.ts'
import { fr } from './texts/fr.ts'
import { ha } from './texts/ha.ts'
import { ig } from './texts/ig.ts'
import { yo } from './texts/yo.ts'

export type { Texts } from './texts/en.ts'

const texts = { en, fr, ha, yo, ig }

/** One that payers can read our pages in. */
export type Language = keyof typeof texts

/** In the order in which the switch offers them; the first is for whoever asks for none of them. */
export const LANGUAGES = Object.keys(texts) as Language[]

export const isLanguage = (code: string): code is Language => Object.hasOwn(texts, code)

/** The texts of a locale's language: `fr-SN` reads French; what we do not speak reads English. */
export function textsOf(locale: string): Texts {
  const language = locale.split('-')[0] ?? ''
  return isLanguage(language) ? texts[language] : en
}

/**
 * Languages in which another region prints amounts and dates in another way, but spells alike. The
 * others print as in Nigeria: Benin's months would not be spelt as our Yoruba is.
 */
const PRINTED_BY_REGION: readonly string[] = ['en', 'fr']

/**
 * The locale to print amounts and dates in: French months do not belong between English words, nor
 * do the digits and calendars that the rest of a locale can ask for (`en-NG-u-nu-beng`).
 */
export function printLocaleOf(locale: string): string {
  const { language, locale: own } = textsOf(locale)
  const plain = /^[a-z]+-[A-Z]{2}(?=-|$)/.exec(locale)?.[0]
  const isOurs = plain?.startsWith(`${language}-`) && PRINTED_BY_REGION.includes(language)
  return plain && isOurs ? plain : own
}

/** Title and text of the message page of an HTTP status; an unknown one reads as its class does. */
export function messageTexts(status: number, locale: string): { title: string; text: string } {
  const { message } = textsOf(locale)
  const known = status in message ? (status as MessageStatus) : status < 500 ? 400 : 500
  const [title, text] = message[known]
  return { title, text }
}
