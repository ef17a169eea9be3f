import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Deps } from '../../deps.ts'
import type { Files, Reference, StoredFile } from '../../files/files.ts'
import { loadSharp, runImageTask } from '../../files/images.ts'
import type { Tenant } from '../../lib/caller.ts'
import { type Fields, invalid, notFound } from '../../lib/problem.ts'
import { isEmail, isOneLine } from '../../lib/schemas.ts'
import { randomText } from '../../lib/tokens.ts'
import { headerText } from '../../mail/email.ts'
import type { Sender } from '../../mail/templates/views.ts'
import { safeUrl } from '../../pages/format.ts'
import { accentInks, pdfAccentColor } from '../../pages/pages.ts'
import type { ManualPaymentView, MerchantView } from '../../pages/views.ts'
import type { Brand } from '../../pdf/views.ts'
import { type PaymentTerms, readFees } from './payment-settings.ts'
import {
  type BrandingRow,
  lockBranding,
  type OwnDetails,
  selectBranding,
  selectByLogoKey,
  selectOwnDetails,
  updateBranding,
} from './queries.ts'

type BrandingDeps = Pick<Deps, 'db' | 'files'>

/** Logos are stored in live mode, although both modes show them. */
const tenantOf = (businessId: number) => ({ businessId, live: true })

/**
 * Returns a business's branding, and the name and contact details that payers see where the
 * branding has none.
 */
export async function getBranding(db: Db, businessId: number) {
  const [row, own] = await Promise.all([
    selectBranding(db, businessId),
    selectOwnDetails(db, businessId),
  ])
  return brandingRecord(row, own)
}

function brandingRecord(row: BrandingRow | undefined, own: OwnDetails) {
  const logo = row && logoOf(row)
  const color = row?.accent_color ?? null
  return {
    name: row?.shown_name ?? null,
    supportEmail: row?.support_email ?? null,
    supportPhone: row?.support_phone ?? null,
    website: row?.website ?? null,
    address: row?.address ?? null,
    accentColor: color,
    /** The colour adjusted for light and dark pages, each with a colour for the text on it. */
    accentInks: (color !== null && accentInks(color)) || null,
    logo: logo
      ? { path: logoPath(logo), width: logo.width, height: logo.height, bytes: row.logo_bytes }
      : null,
    unless: own,
    updatedAt: row?.updated_at ?? null,
  }
}

function logoOf(row: BrandingRow): Logo | undefined {
  if (!row.logo_sha256) return undefined
  return {
    key: row.logo_key,
    sha256: row.logo_sha256,
    type: row.logo_type!,
    width: row.logo_width!,
    height: row.logo_height!,
  }
}

/**
 * Changes the fields in `change`; null or '' removes a value. Re-encodes and stores a new logo
 * before the transaction, and calls `noted` with the changes inside the transaction. Throws 400
 * naming the field.
 */
export async function changeBranding(
  { db, files }: BrandingDeps,
  { businessId, now }: { businessId: number; now: Date },
  change: BrandingChange,
  noted: (tx: Tx, changed: readonly string[]) => Promise<void>,
) {
  const read = readChange(change)
  const made = read.logo ? await makeLogo(businessId, read.logo) : undefined
  const stored = made && (await files.putAwayBytes(made.content))
  try {
    return await db.transaction(async (tx) => {
      const before = await lockBranding(tx, businessId, newLogoKey(), now)
      const row = { ...before, ...valuesOf(read, made, stored), updated_at: now }
      if (stored) await files.take(tx, tenantOf(businessId), stored)
      await updateBranding(tx, row)
      await releaseOldLogo(tx, files, before, row)
      const changed = changedIn(before, row)
      if (changed.length > 0) await noted(tx, changed)
      return brandingRecord(row, await selectOwnDetails(tx, businessId))
    })
  } finally {
    if (stored) await files.discard([stored])
  }
}

const NO_LOGO = {
  logo_sha256: null,
  logo_type: null,
  logo_width: null,
  logo_height: null,
  logo_bytes: null,
}

function valuesOf(
  { values, logo }: ReadChange,
  made: MadeLogo | undefined,
  stored: StoredFile | undefined,
): Partial<BrandingRow> {
  if (logo === null) return { ...values, ...NO_LOGO }
  if (!made || !stored) return values
  const { type, width, height } = made
  return {
    ...values,
    logo_sha256: stored.sha256,
    logo_type: type,
    logo_width: width,
    logo_height: height,
    logo_bytes: stored.bytes,
  }
}

async function releaseOldLogo(
  tx: Tx,
  files: Files,
  before: BrandingRow,
  row: BrandingRow,
): Promise<void> {
  const old = before.logo_sha256
  const now = row.logo_sha256
  if (!old || (now && old.equals(now))) return
  await files.release(tx, tenantOf(row.business_id), [old])
}

const WORDS = {
  shown_name: 'name',
  support_email: 'e-mail',
  support_phone: 'phone',
  website: 'website',
  address: 'address',
  accent_color: 'colour',
} as const

function changedIn(before: BrandingRow, row: BrandingRow): string[] {
  const old = before.logo_sha256
  const now = row.logo_sha256
  const isLogo = old !== now && !(old && now && old.equals(now))
  const others = Object.entries(WORDS).filter(
    ([column]) => before[column as keyof typeof WORDS] !== row[column as keyof typeof WORDS],
  )
  return [...(isLogo ? ['logo'] : []), ...others.map(([, word]) => word)]
}

interface ShownLogo {
  file: { bytes: number; sha256: Buffer; type: string }
  open(): Promise<Readable>
}

/**
 * Finds the logo at a URL. The URL of a replaced logo, which older emails contain, redirects to the
 * current logo. Throws 404.
 */
export async function findLogo(
  { db, files }: BrandingDeps,
  key: string,
  version: string,
): Promise<ShownLogo | { movedTo: string }> {
  const row = isLogoKey(key) ? await selectByLogoKey(db, key) : undefined
  const logo = row && logoOf(row)
  if (!logo) throw notFound('media')
  const path = logoPath(logo)
  if (path !== `/brand/${key}/${version}`) return { movedTo: path }
  const blob = await files.find(db, tenantOf(row.business_id), logo.sha256)
  return {
    file: { bytes: blob.bytes, sha256: logo.sha256, type: logo.type },
    open: () => files.open(blob),
  }
}

/** A logo's content is kept for as long as this column refers to it. */
export const BRANDING_REFERENCES: readonly Reference[] = [
  { table: sql`business_branding`, column: sql`logo_sha256` },
]

/** Absent fields stay as they are; null or '' removes a value. The logo is base64. */
export type BrandingChange = {
  [Field in keyof typeof READERS | 'logo']?: string | null | undefined
}

type Values = Pick<BrandingRow, keyof typeof WORDS>

interface ReadChange {
  values: Partial<Values>
  /** Null removes the logo. If absent, the logo stays. */
  logo?: Buffer | null
}

/** Payers see these texts on one line. Anything longer doesn't fit beside a logo on a phone. */
const NAME_LENGTH_MAX = 100
const WEBSITE_LENGTH_MAX = 200
const ADDRESS_LENGTH_MAX = 300
const ADDRESS_LINES_MAX = 6

const PHONE = /^\+?[0-9 ()-]{5,24}$/
const COLOR = /^#?([0-9a-f]{6})$/i

interface Reader {
  column: keyof Values
  /** Returns the value to store, or undefined if it is invalid. */
  read(text: string): string | undefined
  fault: string
}

const READERS = {
  name: {
    column: 'shown_name',
    read: (text) => (isOneLine(text, NAME_LENGTH_MAX) ? text : undefined),
    fault: `must be a single line of at most ${NAME_LENGTH_MAX} characters`,
  },
  supportEmail: {
    column: 'support_email',
    read: (text) => (isEmail(text) ? text : undefined),
    fault: 'must be an email address',
  },
  supportPhone: {
    column: 'support_phone',
    read: (text) => (PHONE.test(text) ? text : undefined),
    fault: 'must be a phone number',
  },
  website: {
    column: 'website',
    read: readWebsite,
    fault: 'must be a URL such as https://shop.example.com',
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
} satisfies Record<string, Reader>

function readChange(change: BrandingChange): ReadChange {
  const { logo, ...texts } = change
  const { values, faults } = readTexts(texts)
  if (Object.keys(faults).length > 0) throw invalid(faults)
  if (logo === undefined) return { values }
  return { values, logo: logo ? readBase64(logo) : null }
}

/** Returns the valid part of a change, for a preview while someone is typing. */
export const validBrandingOf = (change: Omit<BrandingChange, 'logo'>): Partial<Values> =>
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

/** Encoded as base64, a logo of this size fits into a request body, which has at most 1 MiB. */
const LOGO_BYTES_MAX = 512 * 1024

/** Pages, PDFs and emails never show a logo larger than this, at three pixels per point. */
const EDGES_MAX = { width: 480, height: 160 }
const PIXELS_MAX = 4096 * 4096
const SECONDS_MAX = 10

interface Logo {
  key: string
  sha256: Buffer
  type: 'image/png' | 'image/jpeg'
  width: number
  height: number
}

type LogoRow = Pick<
  BrandingRow,
  'logo_key' | 'logo_sha256' | 'logo_type' | 'logo_width' | 'logo_height'
>

const newLogoKey = (): string => randomText(22)

/** Identifies the content, so that no two logos share a URL. */
const versionOf = (sha256: Buffer): string => sha256.toString('base64url').slice(0, 11)

const ENDINGS = { 'image/png': 'png', 'image/jpeg': 'jpg' } as const

const logoPath = ({ key, sha256, type }: Pick<Logo, 'key' | 'sha256' | 'type'>): string =>
  `/brand/${key}/${versionOf(sha256)}.${ENDINGS[type]}`

const KEY = /^\w{22}$/

const isLogoKey = (text: string): boolean => KEY.test(text)

interface MadeLogo extends Pick<Logo, 'type' | 'width' | 'height'> {
  content: Buffer
}

/**
 * Re-encodes a logo as a PNG, or as a JPEG if it already was one, because every mail client and PDF
 * viewer can show these formats. Reduces it to the size that pages need, and removes its metadata.
 * Throws 400 naming `logo` if its bytes are not a PNG, JPEG or WebP.
 */
function makeLogo(businessId: number, sent: Buffer): Promise<MadeLogo> {
  if (sent.length > LOGO_BYTES_MAX) throw refused('must be at most 512 KiB')
  return runImageTask(businessId, async () => {
    const sharp = await loadSharp()
    try {
      const input = sharp(sent, { limitInputPixels: PIXELS_MAX, failOn: 'truncated' })
      const { format } = await input.metadata()
      if (!['png', 'jpeg', 'webp'].includes(format)) throw new Error(format)
      const sized = input
        .autoOrient()
        .resize({ ...EDGES_MAX, fit: 'inside', withoutEnlargement: true })
        .timeout({ seconds: SECONDS_MAX })
      const isPhoto = format === 'jpeg'
      const { data, info } = await (isPhoto
        ? sized.jpeg({ quality: 85 })
        : sized.png({ palette: true, quality: 90, compressionLevel: 9 })
      ).toBuffer({ resolveWithObject: true })
      const type = isPhoto ? 'image/jpeg' : 'image/png'
      return { content: data, type, width: info.width, height: info.height }
    } catch (error) {
      throw refusalOf(error as Error)
    }
  })
}

function refusalOf({ message }: Error) {
  if (/pixel limit/.test(message)) return refused('must be at most 16 megapixels')
  return refused('must be a valid PNG, JPEG or WebP image')
}

const refused = (fault: string) => invalid({ logo: [fault] }, 'bad_picture')

/** Reads content sent as base64, with or without a `data:` URL prefix. */
function readBase64(text: string): Buffer {
  const [, digits] = /^(?:data:[a-z/+.-]+;base64,)?([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  if (!digits) throw refused('must be an image encoded as base64')
  return Buffer.from(digits, 'base64')
}

/** A business's terms, with the name and contact details that payers see. */
export interface PublicProfile extends PaymentTerms {
  businessId: number
  website: string | null
  address: string | null
  /** `#0b7a4b` */
  accent_color: string | null
  logo: Logo | null
  manualPayment: ManualPaymentView | null
}

type Row = Omit<PublicProfile, 'businessId' | 'fee_rules' | 'logo' | 'manualPayment'> &
  LogoRow & { fees: string; manual_payment: string | null }

/** Returns the same as `paymentTermsOf` plus the branding, in a single statement. */
export async function publicProfileOf(db: Db, tenant: Tenant): Promise<PublicProfile> {
  const { businessId, live } = tenant
  const {
    fees,
    manual_payment,
    logo_key,
    logo_sha256,
    logo_type,
    logo_width,
    logo_height,
    ...terms
  } = await db.one<Row>`
      select coalesce(g.shown_name, b.name) as name, coalesce(g.support_email, b.email) as email,
             coalesce(g.support_phone, b.phone) as phone, b.currency, s.time_zone, s.fee_bearer,
             s.virtual_account_policy, s.transfer_approval_above_minor, s.manual_payment,
             b.fee_rules::text as fees, g.website, g.address, g.accent_color, g.logo_key,
             g.logo_sha256, g.logo_type, g.logo_width, g.logo_height
      from businesses b
      join business_settings s on s.business_id = b.id
      left join business_branding g on g.business_id = b.id
      where b.id = ${businessId} and s.live = ${live}`
  const logo = logo_sha256 && {
    key: logo_key!,
    sha256: logo_sha256,
    type: logo_type!,
    width: logo_width!,
    height: logo_height!,
  }
  const manualPayment = manual_payment === null ? null : JSON.parse(manual_payment)
  return { ...terms, businessId, fee_rules: readFees(fees), logo, manualPayment }
}

export const merchantOf = (terms: PublicProfile): MerchantView => {
  const { name, email, phone, website, address, accent_color: color, logo } = terms
  return {
    name,
    ...(email && { email }),
    ...(phone && { phone }),
    ...(website && { website }),
    ...(address && { address }),
    ...(color && { color }),
    ...(logo && { logo: { path: logoPath(logo), width: logo.width, height: logo.height } }),
  }
}

/**
 * Returns the sender for an email to a customer. API callers choose the names, so each is reduced
 * to one line.
 */
export function senderOf(terms: PublicProfile, publicUrl: string): Sender {
  const { name, email, phone, accent_color: color, logo } = terms
  return {
    name: headerText(name),
    ...(email && isEmail(email) && { email }),
    ...(phone && { phone: headerText(phone) }),
    ...(color && { color }),
    ...(logo && {
      logo: { url: publicUrl + logoPath(logo), width: logo.width, height: logo.height },
    }),
  }
}

/** Default colours for businesses that haven't chosen one, dark enough for white text. */
const COLORS = ['#0b5f45', '#2e3f7f', '#a8442a', '#7a4b00', '#6b2d5c', '#1f5a75'] as const

/**
 * Returns the branding for a business's PDFs. `color` is the colour of the page that the payer
 * used, if any.
 */
export async function brandOf(
  deps: Pick<Deps, 'db' | 'files'>,
  { businessId, accent_color, logo }: PublicProfile,
  color?: string,
): Promise<Brand> {
  const own = COLORS[businessId % COLORS.length]!
  // While the file storage is unreachable, a PDF without a logo is better than none.
  const bytes = logo && (await contentOf(deps, businessId, logo).catch(() => undefined))
  return {
    color: pdfAccentColor(color ?? accent_color ?? undefined) ?? own,
    ...(logo && bytes && { logo: { bytes, width: logo.width, height: logo.height } }),
  }
}

// Each logo takes a few kilobytes, and only a few businesses create PDFs on the same day.
const KEPT_MAX = 32
const kept = new Map<string, Buffer>()

async function contentOf(
  { db, files }: Pick<Deps, 'db' | 'files'>,
  businessId: number,
  { sha256 }: Logo,
): Promise<Buffer> {
  const name = sha256.toString('base64')
  const known = kept.get(name)
  if (known) return known
  const blob = await files.find(db, { businessId, live: true }, sha256)
  const bytes = await buffer(await files.open(blob))
  const [oldest] = kept.keys()
  if (kept.size >= KEPT_MAX && oldest !== undefined) kept.delete(oldest)
  kept.set(name, bytes)
  return bytes
}
