import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import type { Sweeper } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { lookUp, orderOrLookUp, providerOrderJob } from '../../provider-orders/orders.ts'
import type { Outcome, PayoutOrder, PayoutState, Provider } from '../../provider-orders/provider.ts'
import {
  type ClaimedRow,
  claimDue,
  claimPending,
  selectByReference,
  type TransferRow,
} from './queries.ts'
import type { TransferMove } from './states.ts'
import { moveTransfer } from './transition.ts'

export const TRANSFER_SWEEPER = 'transfer-payouts'

type PayoutDeps = Pick<Deps, 'db' | 'ids' | 'providers'>

/** Orders transfers, and asks about those of which nothing was heard. */
export const transferSweeper = (deps: PayoutDeps & { log: Log }): Sweeper =>
  providerOrderJob({
    name: TRANSFER_SWEEPER,
    log: deps.log,
    claim: claimDue,
    run: (tenant, row, now) => payOut(deps, tenant, row, now),
  })

/**
 * Orders a transfer at once, unless the provider knows it; for a test that cannot wait for a sweep.
 * A sweep that is about to order it too does so under the same reference.
 */
export async function payOutNow(deps: PayoutDeps, tenant: Tenant, id: number, now: Date) {
  const row = await claimPending(deps.db, tenant, id, now)
  if (row) await payOut(deps, tenant, row, now)
}

async function payOut(deps: PayoutDeps, tenant: Tenant, row: ClaimedRow, now: Date) {
  const order: PayoutOrder = {
    tenant,
    reference: orderReference(row),
    amount_minor: row.amount_minor,
    currency: row.currency,
    bankCode: row.bank_code,
    accountNumber: row.account_number,
    narration: row.narration,
    attempt: row.attempt,
    now,
  }
  const provider = deps.providers.of(row.live, 'PAYOUTS')
  const state = await orderOrLookUp<Answer>({
    wasSent: row.was_sent,
    send: () => (row.attempt === 1 ? provider.payOut(order) : payOutAgain(provider, order, row)),
    lookUp: () => provider.lookUpPayout(tenant, order.reference),
    refused: (message) => ({ status: 'Rejected', message }),
  })
  if (state) await apply(deps, tenant, row, state, now)
}

/** Where a transfer stands, and the earlier attempt that was paid after all, if one was. */
interface Answer extends PayoutState {
  paidBy?: number
}

/**
 * Orders again a transfer that was held up. The earlier order may yet be paid, so it is withdrawn
 * first: what was paid after all decides, and until the provider says that it never will be,
 * nothing is ordered.
 */
async function payOutAgain(
  provider: Provider,
  order: PayoutOrder,
  row: TransferRow,
): Promise<Outcome<Answer>> {
  const former = { ...row, attempt: row.attempt - 1 }
  const outcome = await provider.cancelPayout(order.tenant, orderReference(former))
  if (outcome.kind !== 'done') return { kind: 'unknown' }
  const { value } = outcome
  if (value.status === 'Failed' || value.status === 'Rejected') return provider.payOut(order)
  return isPaid(value)
    ? { kind: 'done', value: { ...value, paidBy: former.attempt } }
    : { kind: 'unknown' }
}

/**
 * Asks the provider about an order of ours and acts on what it says; a notice only triggers this.
 * What it says of an attempt that is not the present one changes nothing, and is told to the log
 * where money may have left twice. Answers whether the order is a transfer's.
 */
export async function lookUpTransfer(
  deps: PayoutDeps & { log: Log },
  tenant: Tenant,
  reference: string,
  now: Date,
): Promise<boolean> {
  const [, own, attempt = '1'] = /^(\w+)(?:-(\d{1,9}))?$/.exec(reference) ?? []
  const row = own && (await selectByReference(deps.db, tenant, own))
  if (!row) return false
  if (row.attempt !== Number(attempt)) {
    await hearOfOther(deps, tenant, row, reference)
    return true
  }
  if (!['Pending', 'Blocked', 'Successful'].includes(row.status)) return true
  const provider = deps.providers.of(tenant.live, 'PAYOUTS')
  const state = await lookUp(provider.lookUpPayout(tenant, reference))
  if (state && state !== 'never ordered') await apply(deps, tenant, row, state, now)
  return true
}

/**
 * An attempt was withdrawn before the next was ordered, so it cannot have been paid as well. While
 * the next was not ordered yet it can: the sweeper finds that out when it withdraws it.
 */
async function hearOfOther(
  { providers, log }: PayoutDeps & { log: Log },
  tenant: Tenant,
  row: TransferRow,
  other: string,
): Promise<void> {
  const provider = providers.of(tenant.live, 'PAYOUTS')
  const said = await lookUp(provider.lookUpPayout(tenant, other))
  if (!said || said === 'never ordered' || !isPaid(said)) return
  const present = orderReference(row)
  const known = await lookUp(provider.lookUpPayout(tenant, present))
  if (known === 'never ordered') return
  const { businessId, live } = tenant
  const fields = { businessId, live, reference: present, other, provider: said.status }
  log.error(fields, `the bank paid another attempt of a transfer that is ${row.status}`)
}

/** What the provider knows a transfer by: the first attempt by its reference alone. */
export const orderReference = ({
  reference,
  attempt,
}: Pick<TransferRow, 'reference' | 'attempt'>) =>
  attempt === 1 ? reference : `${reference}-${attempt}`

/** The moves that bring a transfer to what the provider says, each where it is allowed. */
const NEWS: Record<PayoutState['status'], readonly TransferMove[]> = {
  Pending: [],
  Successful: ['succeed'],
  Failed: ['fail'],
  Blocked: ['block'],
  // What was held up before can only fail.
  Rejected: ['refuse', 'fail'],
  Returned: ['succeed', 'return'],
}

function apply(
  { db, ids }: PayoutDeps,
  tenant: Tenant,
  { id, attempt }: TransferRow,
  { status, message, paidBy }: Answer,
  now: Date,
): Promise<void> {
  return db.transaction(async (tx) => {
    let present = attempt
    for (const move of NEWS[status]) {
      const said = status === 'Returned' && move === 'succeed' ? 'Paid' : message
      const reason = { now, message: said, attempt: present, paidBy }
      present = (await moveTransfer(tx, ids, tenant, id, move, reason))?.attempt ?? present
    }
  })
}

/** Whether money left, even if it came back. */
const isPaid = ({ status }: PayoutState): boolean =>
  status === 'Successful' || status === 'Returned'
