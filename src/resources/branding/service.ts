import type { Readable } from 'node:stream'
import type { Db, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { notFound } from '../../lib/problem.ts'
import { accentInks } from '../../pages/pages.ts'
import type { Files, PutAway } from '../../storage/blobs.ts'
import type { Reference } from '../../storage/sweeper.ts'
import type { Deps } from '../deps.ts'
import { type BrandingChange, type ReadChange, readChange } from './change.ts'
import { isLogoKey, type Logo, logoPath, type MadeLogo, makeLogo, newLogoKey } from './logo.ts'
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

/** The content of a logo is of live mode, whichever shows it. */
const tenantOf = (businessId: number) => ({ businessId, live: true })

/** How a business shows itself, and what payers see where it says nothing. */
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
    /** What becomes of the colour on light and on dark pages, and the ink that it carries. */
    accentInks: color === null ? null : accentInks(color),
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
 * Changes what `change` names; null or '' takes a value away. A logo is made anew and put away
 * before the transaction, in which `noted` is told what changed. Throws 400 naming the field.
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
      await letGo(tx, files, before, row)
      const changed = changedIn(before, row)
      if (changed.length > 0) await noted(tx, changed)
      return brandingRecord(row, await selectOwnDetails(tx, businessId))
    })
  } finally {
    if (stored) await files.giveUp([stored])
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
  stored: PutAway | undefined,
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

async function letGo(tx: Tx, files: Files, before: BrandingRow, row: BrandingRow): Promise<void> {
  const [old, now] = [before.logo_sha256, row.logo_sha256]
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

/** In words, for the audit log. */
function changedIn(before: BrandingRow, row: BrandingRow): string[] {
  const [old, now] = [before.logo_sha256, row.logo_sha256]
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
 * The logo at an address. That of one which was replaced, as it stands in mails that were sent
 * before, leads to the one of now. Throws 404.
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

/** The column that keeps a logo's content from being let go of. */
export const BRANDING_REFERENCES: readonly Reference[] = [
  { table: sql`business_branding`, column: sql`logo_sha256` },
]
