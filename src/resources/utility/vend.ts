import type { Tenant } from '../../lib/tenant.ts'
import type { Outcome, Provider, VendOrder, VendState } from '../../providers/provider.ts'
import type { Deps } from '../deps.ts'
import { movePayment } from './move.ts'
import type { UtilityRow } from './queries.ts'

export type VendDeps = Pick<Deps, 'db' | 'ids' | 'providers'>

/**
 * Has the provider serve the customer of a payment that was committed, and acts on its answer. That
 * may take a while, so `clock` is looked at before and after.
 */
export async function vend(deps: VendDeps, tenant: Tenant, row: UtilityRow, clock: () => Date) {
  const provider = deps.providers.of(tenant.live, 'UTILITY')
  const outcome = await provider.vend(orderOf(tenant, row, clock()))
  await act(deps, tenant, row, outcome, clock())
}

/**
 * Asks what became of an order. Only when the provider definitely does not know it is it ordered,
 * under the same reference.
 */
export async function askOrVend(deps: VendDeps, tenant: Tenant, row: UtilityRow, now: Date) {
  const provider = deps.providers.of(tenant.live, 'UTILITY')
  const asked = await ask(provider, tenant, row.reference)
  if (asked === 'never ordered') await vend(deps, tenant, row, () => now)
  else await act(deps, tenant, row, asked, now)
}

/** An answer that decides nothing is `unknown`: a question is never refused as an order is. */
export async function ask(
  provider: Provider,
  tenant: Tenant,
  reference: string,
): Promise<Outcome<VendState> | 'never ordered'> {
  const outcome = await provider.lookUpVend(tenant, reference)
  if (outcome.kind !== 'refused') return outcome
  return outcome.code === 'unknown_order' ? 'never ordered' : { kind: 'unknown' }
}

/** Brings a payment to where the provider says that it stands; `refused` is of an order. */
export async function act(
  { db, ids }: VendDeps,
  tenant: Tenant,
  { id }: UtilityRow,
  outcome: Outcome<VendState>,
  now: Date,
): Promise<void> {
  if (outcome.kind === 'unknown') return
  const { status, ...said }: VendState =
    outcome.kind === 'refused' ? { status: 'Failed', message: outcome.message } : outcome.value
  if (status === 'Pending') return
  const move = status === 'Successful' ? 'succeed' : 'fail'
  await db.transaction((tx) => movePayment(tx, ids, tenant, id, move, { ...said, now }))
}

const orderOf = (tenant: Tenant, row: UtilityRow, now: Date): VendOrder => ({
  tenant,
  reference: row.reference,
  packageSlug: row.package_slug,
  customerId: row.customer_id,
  amount_minor: row.amount_minor,
  currency: row.currency,
  now,
})
