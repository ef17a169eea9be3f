import type { Tx } from '../../../db/database.ts'
import { addMs } from '../../../lib/clock.ts'
import { invalid, notFound } from '../../../lib/problem.ts'
import { toId } from '../../../lib/schemas.ts'
import type { Caller } from '../../../lib/tenant.ts'
import { lockProduct, type ProductRow, productChanged } from '../catalogue/service.ts'
import {
  type ExpiryUnit,
  type LinkLimits,
  selectFile,
  updateFileLimits,
  updateProductLimits,
} from './queries.ts'
import { fileRecord } from './record.ts'
import type { SetExpiry } from './schemas.ts'
import type { FileDeps } from './service.ts'

const UNIT_MS: Record<ExpiryUnit, number> = {
  minutes: 60_000,
  hours: 3_600_000,
  days: 24 * 3_600_000,
}

const YEARS_MAX = 10
const EXPIRY_MS_MAX = YEARS_MAX * 365 * UNIT_MS.days

/** When a link that is given now ends; null is never. */
export function expiryOf({ link_expiry, link_expiry_unit }: LinkLimits, now: Date): Date | null {
  if (link_expiry === null || link_expiry_unit === null) return null
  return addMs(now, link_expiry * UNIT_MS[link_expiry_unit])
}

/**
 * Settles what links given from now on allow, for one file or, without one, for all files of the
 * product that have no limits of their own. Links that were given keep theirs. Throws 400, 404.
 */
export async function setLinkLimits(tx: Tx, deps: FileDeps, caller: Caller, sent: SetExpiry) {
  const change = changeOf(sent)
  const product = await lockProduct(tx, caller, sent.productId)
  const { digitalDownloadFileId } = sent
  if (digitalDownloadFileId === undefined) {
    const limits = merged(product, change)
    await updateProductLimits(tx, caller, product.id, limits)
    await productChanged(tx, deps, caller, product.id)
    return { ...product, ...limits }
  }
  const file = await selectFile(tx, caller, product.id, toId(digitalDownloadFileId))
  if (!file) throw notFound('digital_file')
  const limits = merged(file, change)
  await updateFileLimits(tx, caller, file.id, limits, caller.now)
  await productChanged(tx, deps, caller, product.id)
  return { ...product, ...limits, file: { ...file, ...limits } }
}

/** As the API shows what was set: the whole record of a file, or the limits of the product. */
export const limitsRecord = (set: Awaited<ReturnType<typeof setLinkLimits>>) =>
  'file' in set ? fileRecord(set.file) : productLimits(set)

const productLimits = (set: LinkLimits & Pick<ProductRow, 'id' | 'reference' | 'status'>) => ({
  reference: set.reference,
  status: set.status,
  productId: String(set.id),
  expiryValue: set.link_expiry,
  expiryUnit: set.link_expiry_unit,
  maxDownloads: set.max_downloads,
})

type Change = Partial<LinkLimits>

function changeOf({ expiryValue, expiryUnit, maxDownloads }: SetExpiry): Change {
  if (expiryValue === undefined && maxDownloads === undefined) {
    throw invalid({ expiryValue: ['is required, or else maxDownloads'] })
  }
  const change: Change = maxDownloads === undefined ? {} : { max_downloads: maxDownloads }
  if (expiryValue === undefined) return change
  if (expiryValue === null) return { ...change, link_expiry: null, link_expiry_unit: null }
  if (!expiryUnit) {
    throw invalid({ expiryUnit: ['is required with expiryValue: minutes, hours or days'] })
  }
  if (expiryValue * UNIT_MS[expiryUnit] > EXPIRY_MS_MAX) {
    throw invalid({ expiryValue: [`must be at most ${YEARS_MAX} years`] })
  }
  return { ...change, link_expiry: expiryValue, link_expiry_unit: expiryUnit }
}

const merged = (
  { link_expiry, link_expiry_unit, max_downloads }: LinkLimits,
  change: Change,
): LinkLimits => ({ link_expiry, link_expiry_unit, max_downloads, ...change })
