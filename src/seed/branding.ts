import { FIRST_NAME } from '../business/account/bootstrap.ts'
import { changeBranding, getBranding } from '../business/account/branding.ts'
import type { Deps } from '../deps.ts'
import type { Tenant } from '../lib/caller.ts'
import { drawLogo } from './logo.ts'
import { wasLive } from './rows.ts'

/** Indigo, terracotta, palm, plum and ochre: what cloth is dyed with. */
const COLORS = ['#27447a', '#9a4524', '#0b6b4b', '#6b2d5c', '#7d5200'] as const

const NAME = 'Adire & Oak'
const CONTACT = { supportEmail: 'hello@example.com', supportPhone: '+234 800 555 0100' }
const PLACE = { website: 'https://shop.example.com', address: '14 Example Close\nSurulere, Lagos' }

/**
 * Gives a made-up shop a logo, a colour and contacts, and a name where it has only that of every
 * first business. Nothing where it has a look already, or has done anything in live mode, whose
 * payers see the same. Answers whether it did.
 */
export async function brandShop(
  deps: Pick<Deps, 'db' | 'files'>,
  { businessId }: Tenant,
  { seed, now }: { seed: number; now: Date },
): Promise<boolean> {
  const { updatedAt, unless: own } = await getBranding(deps.db, businessId)
  if (updatedAt !== null || (await wasLive(deps.db, businessId))) return false
  const accentColor = COLORS[seed % COLORS.length]!
  const logo = (await drawLogo(accentColor)).toString('base64')
  const change = {
    ...PLACE,
    ...(own.name === FIRST_NAME && { name: NAME }),
    ...(own.email === null && own.phone === null && CONTACT),
    accentColor,
    logo,
  }
  // No person did it, and the audit log is of what people do.
  await changeBranding(deps, { businessId, now }, change, async () => {})
  return true
}
