import { buffer } from 'node:stream/consumers'
import { inkOf } from '../../pages/pages.ts'
import type { Brand } from '../../pdf/views.ts'
import type { Deps } from '../deps.ts'
import type { Logo } from './logo.ts'
import type { ShownTerms } from './shown.ts'

/** Of a business that chose none: each has one of its own, dark enough for white letters. */
const COLORS = ['#0b5f45', '#2e3f7f', '#a8442a', '#7a4b00', '#6b2d5c', '#1f5a75'] as const

/** What marks the papers of a business. `color` is that of the page it was paid on, if any. */
export async function brandOf(
  deps: Pick<Deps, 'db' | 'files'>,
  { businessId, accent_color, logo }: ShownTerms,
  color?: string,
): Promise<Brand> {
  const own = COLORS[businessId % COLORS.length]!
  // A paper without a logo is better than none, while the store cannot be reached.
  const bytes = logo && (await contentOf(deps, businessId, logo).catch(() => undefined))
  return {
    color: inkOf(color ?? accent_color ?? undefined) ?? own,
    ...(logo && bytes && { logo: { bytes, width: logo.width, height: logo.height } }),
  }
}

// Papers of a day are of few businesses, and logos have a few kilobytes.
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
