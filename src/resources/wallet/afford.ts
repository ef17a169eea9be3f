import type { Db, Tx } from '../../db/database.ts'
import { Overtaken } from '../../db/failures.ts'
import type { Ids } from '../../db/ids.ts'
import { balancesOf, type Hold, hold } from '../../ledger/ledger.ts'
import { formatAmount, type Minor } from '../../lib/money.ts'
import { Problem } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'

interface Wanted {
  amount_minor: Minor
  /** 0 where none comes on top. */
  fee_minor: Minor
  currency: string
}

/**
 * Throws `insufficient_balance` (400), with the figures, when the wallet has too little just now.
 * Call `holdLooked` afterwards: only the hold decides.
 */
export async function refuseTooLittle(
  db: Db,
  tenant: Tenant,
  { amount_minor, fee_minor, currency }: Wanted,
): Promise<void> {
  const wallet = (await balancesOf(db, tenant)).find((one) => one.currency === currency)
  const available_minor = wallet?.available_minor ?? 0n
  const needed_minor = amount_minor + fee_minor
  if (needed_minor <= available_minor) return
  const says = (minor: Minor) => formatAmount(minor, currency)
  const parts = fee_minor > 0n ? ` (${says(amount_minor)} + ${says(fee_minor)} fee)` : ''
  const figures = `${says(needed_minor)} needed${parts}, ${says(available_minor)} available`
  throw new Problem('invalid', 'insufficient_balance', `Insufficient balance: ${figures}.`, {
    fields: { amount: [`is more than the balance: ${figures}`] },
  })
}

/**
 * Holds money that the same transaction has just seen. If another request took it meanwhile, the
 * whole transaction runs again, so that the refusal has the figures of now.
 */
export async function holdLooked(tx: Tx, ids: Ids, tenant: Tenant, request: Hold): Promise<void> {
  try {
    await hold(tx, ids, tenant, request)
  } catch (error) {
    const isShort = error instanceof Problem && error.code === 'insufficient_balance'
    throw isShort ? new Overtaken(error) : error
  }
}
