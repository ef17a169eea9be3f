import { isEmail } from '../../lib/email.ts'
import { type Fields, invalid } from '../../lib/problem.ts'
import { isOneLine } from '../../lib/schemas.ts'
import { safeUrl } from '../../pages/safe-url.ts'
import { readBase64 } from './logo.ts'
import type { BrandingRow } from './queries.ts'

/** What is absent stays as it is; null or '' is taken away. */
export interface BrandingChange {
  name?: string | null | undefined
  supportEmail?: string | null | undefined
  supportPhone?: string | null | undefined
  website?: string | null | undefined
  /** In lines. */
  address?: string | null | undefined
  /** `#0b7a4b` */
  accentColor?: string | null | undefined
  /** A picture as base64. */
  logo?: string | null | undefined
}

type Values = Pick<
  BrandingRow,
  'shown_name' | 'support_email' | 'support_phone' | 'website' | 'address' | 'accent_color'
>

export interface ReadChange {
  values: Partial<Values>
  /** Absent stays, null goes. */
  logo?: Buffer | null
}

/** Of what payers see on one line: no more fits beside a logo on a phone. */
const NAME_LENGTH_MAX = 100
const WEBSITE_LENGTH_MAX = 200
const ADDRESS_LENGTH_MAX = 300
const ADDRESS_LINES_MAX = 6

const PHONE = /^\+?[0-9 ()-]{5,24}$/
const COLOR = /^#?([0-9a-f]{6})$/i

interface Reader {
  column: keyof Values
  /** The value to store, or undefined for one that cannot be. */
  read(text: string): string | undefined
  fault: string
}

const READERS: Record<Exclude<keyof BrandingChange, 'logo'>, Reader> = {
  name: {
    column: 'shown_name',
    read: (text) => (isOneLine(text, NAME_LENGTH_MAX) ? text : undefined),
    fault: `must have at most ${NAME_LENGTH_MAX} characters, on one line`,
  },
  supportEmail: {
    column: 'support_email',
    read: (text) => (isEmail(text) ? text : undefined),
    fault: 'must be an e-mail address',
  },
  supportPhone: {
    column: 'support_phone',
    read: (text) => (PHONE.test(text) ? text : undefined),
    fault: 'must be a phone number',
  },
  website: {
    column: 'website',
    read: readWebsite,
    fault: 'must be the address of a website such as https://shop.example.com',
  },
  address: {
    column: 'address',
    read: readAddress,
    fault: `must have at most ${ADDRESS_LINES_MAX} lines and ${ADDRESS_LENGTH_MAX} characters`,
  },
  accentColor: {
    column: 'accent_color',
    read: (text) => COLOR.exec(text)?.[1]?.toLowerCase().replace(/^/, '#'),
    fault: 'must be a colour such as #0b7a4b',
  },
}

/** Throws 400 naming each field that cannot be stored. */
export function readChange(change: BrandingChange): ReadChange {
  const { logo, ...texts } = change
  const { values, faults } = readTexts(texts)
  if (Object.keys(faults).length > 0) throw invalid(faults)
  if (logo === undefined) return { values }
  return { values, logo: logo ? readBase64(logo) : null }
}

/** What can be stored of it, for a look while it is being typed. */
export const readLeniently = (change: Omit<BrandingChange, 'logo'>): Partial<Values> =>
  readTexts(change).values

function readTexts(texts: Omit<BrandingChange, 'logo'>) {
  const values: Partial<Values> = {}
  const faults: Fields = {}
  for (const [field, { column, read, fault }] of Object.entries(READERS)) {
    const text = texts[field as keyof typeof READERS]
    if (text === undefined) continue
    const trimmed = text?.trim() ?? ''
    const value = trimmed === '' ? null : read(trimmed)
    if (value === undefined) faults[field] = [fault]
    else values[column] = value
  }
  return { values, faults }
}

/** With its scheme, which people leave out. */
function readWebsite(text: string): string | undefined {
  if (!isOneLine(text, WEBSITE_LENGTH_MAX)) return undefined
  const address = /^[a-z][a-z\d+.-]*:/i.test(text) ? text : `https://${text}`
  if (!/^https?:\/\//i.test(address)) return undefined
  const url = safeUrl(address)
  const isName = url !== undefined && /\.[a-z\d-]{2,}$/i.test(new URL(url).hostname)
  return isName && url.length <= WEBSITE_LENGTH_MAX ? url : undefined
}

function readAddress(text: string): string | undefined {
  const lines = text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (lines.length > ADDRESS_LINES_MAX || text.length > ADDRESS_LENGTH_MAX) return undefined
  return lines.every((line) => isOneLine(line, ADDRESS_LENGTH_MAX)) ? lines.join('\n') : undefined
}
