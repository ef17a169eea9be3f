import type { Database } from '../../db/database.ts'
import type { Log } from '../../db/log.ts'
import type { Deps } from '../../deps.ts'
import { SWEEP_ROWS_MAX, type Sweeper, workThrough } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
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

/** Providers are waited for more than they are worked for. */
const ORDERS_AT_ONCE = 4

/**
 * Orders transfers, and asks about those of which nothing was heard. What it does is claimed, and
 * the claim committed, before the provider is told: after a crash in between it is asked first.
 */
export function transferSweeper(deps: PayoutDeps): Sweeper {
  return {
    name: TRANSFER_SWEEPER,
    everyMs: 10_000,
    followsTestClock: true,
    async sweep(db: Database, now, only) {
      const due = await claimDue(db, now, only ?? null, SWEEP_ROWS_MAX)
      await workThrough(due, ORDERS_AT_ONCE, (row) => payOut(deps, row, now))
      return due.length
    },
  }
}

/**
 * Orders a transfer at once, unless the provider knows it; for a test that cannot wait for a sweep.
 * A sweep that is about to order it too does so under the same reference.
 */
export async function payOutNow(deps: PayoutDeps, tenant: Tenant, id: number, now: Date) {
  const row = await claimPending(deps.db, tenant, id, now)
  if (row) await payOut(deps, row, now)
}

async function payOut(deps: PayoutDeps, row: ClaimedRow, now: Date): Promise<void> {
  const tenant = { businessId: row.business_id, live: row.live }
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
  const former = row.attempt > 1 ? orderReference({ ...row, attempt: row.attempt - 1 }) : undefined
  const provider = deps.providers.of(row.live, 'PAYOUTS')
  const about = { wasSent: row.was_sent, former }
  const { outcome, answersOf } = await orderOrAsk(provider, order, about)
  if (outcome.kind === 'unknown') return
  const { message } = outcome.kind === 'refused' ? outcome : outcome.value
  const status = outcome.kind === 'refused' ? 'Rejected' : outcome.value.status
  const paidBy = answersOf === 'former' ? row.attempt - 1 : undefined
  await apply(deps, tenant, { ...row, paidBy }, { status, message }, now)
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
  const [, own, attempt = '1'] = /^(TRF_[0-9A-Za-z]+)(?:-(\d{1,9}))?$/.exec(reference) ?? []
  const row = own && (await selectByReference(deps.db, tenant, own))
  if (!row) return false
  if (row.attempt !== Number(attempt)) {
    await hearOfOther(deps, tenant, row, reference)
    return true
  }
  if (!['Pending', 'Blocked', 'Successful'].includes(row.status)) return true
  const outcome = await askPayout(deps.providers.of(tenant.live, 'PAYOUTS'), tenant, reference)
  if (outcome === 'never ordered' || outcome.kind !== 'done') return true
  await apply(deps, tenant, row, outcome.value, now)
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
  const said = await askPayout(provider, tenant, other)
  if (said === 'never ordered' || said.kind !== 'done' || !isPaid(said.value)) return
  const present = orderReference(row)
  if ((await askPayout(provider, tenant, present)) === 'never ordered') return
  const { businessId, live } = tenant
  const fields = { businessId, live, reference: present, other, provider: said.value.status }
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
  { id, attempt, paidBy }: TransferRow & { paidBy?: number | undefined },
  { status, message }: PayoutState,
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

/**
 * Orders a payout, or asks what became of one that may have been ordered before. Only when the
 * provider definitely does not know it is it ordered a second time, under the same reference.
 * `refused` is the provider's answer to an order, never to a question.
 *
 * `former` is the reference of an earlier order that was held up, and may yet be paid. It is
 * withdrawn before a new one is ordered: what was paid after all decides, and until the provider
 * says that it never will be, nothing is ordered. `answersOf` is whose answer the outcome is.
 */
export async function orderOrAsk(
  provider: Provider,
  order: PayoutOrder,
  { wasSent, former }: { wasSent: boolean; former?: string | undefined },
): Promise<{ outcome: Outcome<PayoutState>; answersOf: 'order' | 'former' }> {
  if (wasSent) {
    const asked = await askPayout(provider, order.tenant, order.reference)
    if (asked !== 'never ordered') return { outcome: asked, answersOf: 'order' }
  }
  if (former !== undefined) {
    const before = await withdrawPayout(provider, order.tenant, former)
    if (before !== 'withdrawn') return { outcome: before, answersOf: 'former' }
  }
  return { outcome: await provider.payOut(order), answersOf: 'order' }
}

/** What became of a payout; an answer that decides nothing is `unknown`. */
export async function askPayout(
  provider: Provider,
  tenant: Tenant,
  reference: string,
): Promise<Outcome<PayoutState> | 'never ordered'> {
  const outcome = await provider.lookUpPayout(tenant, reference)
  if (outcome.kind !== 'refused') return outcome
  return outcome.code === 'unknown_order' ? 'never ordered' : { kind: 'unknown' }
}

/** Whether the payout will never be paid, or else was; `unknown` while it may yet be. */
async function withdrawPayout(
  provider: Provider,
  tenant: Tenant,
  reference: string,
): Promise<Outcome<PayoutState> | 'withdrawn'> {
  const outcome = await provider.cancelPayout(tenant, reference)
  if (outcome.kind !== 'done') return { kind: 'unknown' }
  if (['Failed', 'Rejected'].includes(outcome.value.status)) return 'withdrawn'
  return isPaid(outcome.value) ? outcome : { kind: 'unknown' }
}

/** Whether money left, even if it came back. */
const isPaid = ({ status }: PayoutState): boolean =>
  status === 'Successful' || status === 'Returned'
