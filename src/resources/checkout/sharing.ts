import type { Db } from '../../db/database.ts'
import type { Minor } from '../../lib/money.ts'
import { conflict, invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { splitPageFor } from '../split-pages/service.ts'
import { payeeFor } from '../subaccounts/service.ts'
import { type FeeBearer, type Share, shareOut } from '../transactions/sharing.ts'
import type { NewCheckout } from './schemas.ts'

/** With whom a payment is shared, and what each gets before fees. */
export interface Sharing {
  splitPageId: number | null
  subaccountId: number | null
  subaccountCode: string | null
  /** What the split page says; null follows the business. */
  feeBearer: FeeBearer | null
  shares: Share[]
}

const ALONE: Sharing = {
  splitPageId: null,
  subaccountId: null,
  subaccountCode: null,
  feeBearer: null,
  shares: [],
}

interface Shared {
  request: Pick<NewCheckout, 'splitPageId' | 'subaccountCode'>
  /** The split page of the payment page, for whoever names none. */
  pageSplitId: number | null
  amount_minor: Minor
  currency: string
}

/**
 * How what is paid is shared: among a split page, or with one subaccount, of which the business
 * keeps its percentage. Throws 404, 409 for what is inactive, 400 for shares of more than the
 * amount.
 */
export async function sharingOf(
  db: Db,
  tenant: Tenant,
  { request, pageSplitId, amount_minor, currency }: Shared,
): Promise<Sharing> {
  const { splitPageId, subaccountCode } = request
  if (splitPageId !== undefined && subaccountCode !== undefined) {
    throw invalid({ subaccountCode: ['cannot be given beside splitPageId'] })
  }
  if (subaccountCode !== undefined) {
    return withOne(db, tenant, subaccountCode, amount_minor, currency)
  }
  const id = splitPageId === undefined ? pageSplitId : toId(splitPageId)
  if (id === null) return ALONE
  const page = await splitPageFor(db, tenant, id)
  if (!page) throw notFound('split_page')
  if (!page.active) throw conflict('split_page_inactive', 'This split page is inactive.')
  if (page.currency !== currency) {
    throw invalid({ splitPageId: [`is in ${page.currency}, and this is paid in ${currency}`] })
  }
  const { splitType, shares, feeBearer } = page
  const isShared = amount_minor > 0n
  return {
    ...ALONE,
    splitPageId: id,
    feeBearer,
    shares: isShared ? shareOut({ amount_minor, currency, splitType }, shares) : [],
  }
}

const ALL_POINTS = 10_000

async function withOne(
  db: Db,
  tenant: Tenant,
  code: string,
  amount_minor: Minor,
  currency: string,
): Promise<Sharing> {
  const payee = await payeeFor(db, tenant, code)
  if (payee.currency !== currency) {
    throw invalid({ subaccountCode: [`has ${payee.currency}, and this is paid in ${currency}`] })
  }
  const points = ALL_POINTS - payee.charge_basis_points
  // As shares are kept; the amount is exact.
  const wholePercent = Math.floor(points / 100)
  const share = {
    subaccountId: payee.id,
    share: wholePercent,
    amount_minor: (amount_minor * BigInt(points)) / BigInt(ALL_POINTS),
    fee_minor: 0n,
  }
  return {
    ...ALONE,
    subaccountId: payee.id,
    subaccountCode: payee.reference,
    shares: amount_minor > 0n ? [share] : [],
  }
}
