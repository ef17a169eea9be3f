import type { IncomingHttpHeaders } from 'node:http'
import { isLanguage, type Language, textsOf } from '../pages/pages.ts'

const COOKIE = 'lang'
const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Browsers send a handful of languages; what is longer is not read to its end. */
const HEADER_MAX = 1_000

/** The language that an address asks to switch to: `?lang=fr`. One that we do not speak is none. */
export function chosenLanguage(query: URLSearchParams): Language | undefined {
  const code = query.get(COOKIE) ?? ''
  return isLanguage(code) ? code : undefined
}

/** The cookie that keeps a choice for a year. It says nothing of who chose. */
export const keptFor = (language: Language): string =>
  `${COOKIE}=${language}; Path=/; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax`

/**
 * The locale of a page: the language that is chosen now or was before, else the first of the
 * browser's that we speak, with the browser's region where it names one (`fr-SN`); English where
 * none fits.
 */
export function localeOf(headers: IncomingHttpHeaders, chosen?: Language): string {
  const asked = localesAsked(headers['accept-language'])
  const kept = chosen ?? languageKept(headers.cookie)
  const isWanted = (language: string) => (kept ? language === kept : isLanguage(language))
  const found = asked.find((locale) => isWanted(languageOf(locale)))
  return found?.includes('-') ? found : textsOf(found ?? kept ?? 'en').locale
}

const languageOf = (locale: string) => locale.split('-')[0] ?? ''

function languageKept(cookie = ''): Language | undefined {
  const code = /(?:^|;)\s*lang=([a-z]+)\s*(?:;|$)/.exec(cookie)?.[1] ?? ''
  return isLanguage(code) ? code : undefined
}

/** The locales of an `Accept-Language`, best first, as Intl spells them; garbage is left out. */
function localesAsked(header = ''): string[] {
  return header
    .slice(0, HEADER_MAX)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim())
      const q = parameters.find((one) => /^q=/i.test(one))
      return { locale: canonical(tag), q: q ? Number(q.slice(2)) : 1 }
    })
    .filter(({ locale, q }) => locale && q > 0 && q <= 1)
    .sort((a, b) => b.q - a.q)
    .map(({ locale }) => locale)
}

function canonical(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? ''
  } catch {
    return ''
  }
}
