import type { Static } from 'typebox'
import { openApprovals, wouldNeedApproval } from '../../business/account/approval.ts'
import {
  paymentTermsInBatch,
  paymentTermsOf,
  transferFee,
} from '../../business/account/payment-settings.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { StoredResponse } from '../../db/idempotency.ts'
import { batchedOnce, type Effect, madeOf, type Outcome } from '../../db/transaction-batch.ts'
import type { Deps } from '../../deps.ts'
import {
  type EncryptedNumber,
  encryptNumbers,
  shownNumber,
} from '../../encryption/account-numbers.ts'
import { countEvents, eventRow, type NewEvent } from '../../events/append.ts'
import { writeRowNotes } from '../../ledger/row-notes.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { amountsOf, formatAmount, type Minor, parseAmount } from '../../lib/money.ts'
import { conflict, invalid } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { orderJobName } from '../../provider-orders/orders.ts'
import { doubtOf, holderOf } from '../../providers/account-holder.ts'
import { bankNamed } from '../../providers/banks/banks.ts'
import { payoutQuery, requireSupportedCurrency } from '../../providers/routing.ts'
import { holdAllOrRetry, shortage } from '../wallet/service.ts'
import { protectedTransfers } from './audit.ts'
import { insertTransfers, type NewTransferRow, selectBefore } from './insert.ts'
import { hasWaitingSince, selectByCallerReference, type TransferRow } from './queries.ts'
import { TABLE, type Transfer, transferRecord } from './record.ts'
import type { NewTransfer, OneTransfer, TransferCostQuery } from './schemas.ts'
import { actorOf, transferEvent } from './transition.ts'

/**
 * A transfer to be stored. It has no id yet, and its amount has not been checked against the
 * limits.
 */
interface TransferDraft
  extends Pick<
    Transfer,
    | 'reference'
    | 'transfer_reference'
    | 'origin'
    | 'status'
    | 'amount_minor'
    | 'fee_minor'
    | 'currency'
    | 'bank_code'
    | 'bank_name'
    | 'account_number'
    | 'account_name'
    | 'narration'
    | 'metadata'
    | 'failure_reason'
    | 'provider'
    | 'doubt'
    | 'created_by'
    | 'created_with'
    | 'created_by_name'
    | 'created_by_person'
  > {
  /** The connection to the provider that makes the transfer. */
  connection_id: number
  now: Date
}

/**
 * Builds a transfer from a request. Runs outside the transaction because it asks the bank for the
 * account holder. Does not depend on the bank's response. Throws 400 naming the invalid field, and
 * `live_provider_missing` (503) if no provider could pay the transfer.
 */
export async function draftTransfer(
  { db, providers }: Pick<Deps, 'db' | 'providers'>,
  caller: Caller,
  request: NewTransfer,
): Promise<TransferDraft> {
  const { currency, metadata } = request
  requireSupportedCurrency(currency)
  const amount_minor = parseAmount(request.amount, currency)
  const bank = bankNamed(request.bankCode, 'bankCode')
  const reference = newReference('TRF')
  const paying = payoutQuery({ currency, amount_minor, bank_code: bank.code, reference })
  const { connection } = await providers.choose(caller, paying)
  const [terms, holder] = await Promise.all([
    paymentTermsInBatch(db, caller),
    holderOf(providers, caller, bank, request.accountNumber),
  ])
  const fee_minor = transferFee(terms.fee_rules, amount_minor, currency)
  const doubt = doubtOf(holder, request.accountName)
  const actor = actorOf(caller)
  return {
    reference,
    transfer_reference: request.transferReference ?? reference,
    origin: 'transfer',
    status: doubt === null ? 'Pending' : 'Unverified',
    amount_minor,
    fee_minor,
    currency,
    bank_code: bank.code,
    bank_name: bank.name,
    account_number: request.accountNumber,
    account_name: holder?.accountName ?? request.accountName ?? null,
    narration: request.narration ?? null,
    metadata: metadata === undefined ? null : JSON.stringify(metadata),
    failure_reason: doubt,
    provider: connection.provider,
    connection_id: connection.id,
    doubt: doubt === null ? null : 'name',
    created_by: caller.person?.id ?? null,
    created_with: actor.with,
    created_by_name: actor.name,
    created_by_person: actor.personId,
    now: caller.now,
  }
}

interface TransferToCreate extends Effect {
  now: Date
  draft: TransferDraft
  /** Builds the response, if this is a request. */
  responseOf?: (record: TransferRecord) => Answer
}

type TransferRecord = ReturnType<typeof transferRecord>
type Answer = StoredResponse<Static<typeof OneTransfer>>
type CreateDeps = Pick<Deps, 'ids' | 'nudge' | 'people' | 'keyring'>

/**
 * Returns a function that creates transfers for requests. Those that arrive at the same time are
 * written together.
 */
export const transferCreator = (deps: CreateDeps & Pick<Deps, 'db'>) =>
  batchedOnce<TransferToCreate, Static<typeof OneTransfer>>(
    deps.db,
    (tx, wanted) => createTransfers(tx, deps, wanted),
    // The record is in the response and in the event.
    ({ draft: { metadata } }) => 3_000 + 3 * (metadata?.length ?? 0),
  )

/** Creates one transfer, like `createTransfers`, and throws its error if it is refused. */
export async function createTransfer(
  tx: Tx,
  deps: CreateDeps,
  { businessId, live, now }: Tenant & { now: Date },
  draft: TransferDraft,
): Promise<TransferRecord> {
  const [outcome] = await createTransfers(tx, deps, [{ businessId, live, now, draft }])
  return madeOf(outcome).record
}

/**
 * Stores transfers, of any tenants, and holds their amounts and fees. The payouts are requested
 * after the commit. Refuses a transfer with `transfer_reference_used` (409) or
 * `insufficient_balance` (400), in this order, given the transfers before it.
 *
 * The balances are read without a lock. The statement that holds the money ensures that none goes
 * below zero: if another transaction has taken money in the meantime, all of this runs again.
 */
async function createTransfers(
  tx: Tx,
  deps: CreateDeps,
  wanted: readonly TransferToCreate[],
): Promise<Outcome<Made>[]> {
  const { ids, nudge, people } = deps
  const { accepted, outcomes } = await decideEach(tx, people, wanted)
  if (accepted.length === 0) return outcomes
  const made = await rowsOf(tx, deps, accepted)
  await insertTransfers(tx, made)
  countEvents(
    tx,
    ids,
    made.map(({ newEvent }) => newEvent),
  )
  const written = made.map(({ tenant, row }) => ({ ...tenant, id: row.id }))
  await writeRowNotes(tx, protectedTransfers, written)
  await emailAboutMade(tx, people, made)
  // This comes last because, from here until the commit, every other movement in these wallets has
  // to wait.
  await holdAllOrRetry(tx, ids, made.map(holdOf))
  if (made.some(({ row }) => row.status === 'Pending')) {
    tx.after(() => nudge(orderJobName('transfer')))
  }
  for (const one of made) outcomes[one.place] = { made: one }
  return outcomes
}

interface Accepted extends TransferToCreate {
  /** Its place in the list of requests. */
  place: number
  isAboveLimit: boolean
}

/**
 * Decides about the transfers, each as if those before it had been written. Returns the outcomes of
 * those that are refused.
 */
async function decideEach(tx: Tx, people: Deps['people'], wanted: readonly TransferToCreate[]) {
  const found = await selectBefore(tx, wanted)
  const amountOf = ({ draft, ...one }: TransferToCreate) => ({ ...one, ...amountIn(draft) })
  const approvals = await openApprovals(tx, people, wanted.map(amountOf))
  const used = new Map<string, Pick<TransferRow, 'reference' | 'status'>>()
  const wallets = new Map<string, Minor>()
  const outcomes: Outcome<Made>[] = []
  const accepted: Accepted[] = []
  for (const [place, one] of wanted.entries()) {
    const { businessId, live, draft } = one
    const { is_key_used, used_by, available_minor } = found[place]!
    const tenant = `${businessId} ${live}`
    const name = `${tenant} ${draft.transfer_reference}`
    const user = used_by ?? used.get(name)
    const wallet = `${tenant} ${draft.currency}`
    const left_minor = wallets.get(wallet) ?? available_minor
    const error = user ? referenceUsed(user) : shortage(draft, left_minor)
    if (is_key_used || error) {
      outcomes[place] = is_key_used ? 'key_used' : { error }
      continue
    }
    const isAboveLimit = approvals.areNeeded(amountOf(one))
    approvals.add(amountOf(one))
    wallets.set(wallet, left_minor - draft.amount_minor - draft.fee_minor)
    const status = isAboveLimit ? 'Unverified' : draft.status
    used.set(name, { reference: draft.reference, status })
    accepted.push({ ...one, place, isAboveLimit })
  }
  return { accepted, outcomes }
}

const amountIn = ({ amount_minor, currency }: TransferDraft) => ({ amount_minor, currency })

interface Made extends NewTransferRow, Pick<Accepted, 'place'> {
  row: Transfer & EncryptedNumber
  newEvent: NewEvent
  record: TransferRecord
  answer: Answer | undefined
}

async function rowsOf(
  tx: Tx,
  { ids, keyring }: Pick<Deps, 'ids' | 'keyring'>,
  accepted: readonly Accepted[],
): Promise<Made[]> {
  const named: (Accepted & { id: number; eventId: number; account_number: string })[] = []
  for (const one of accepted) {
    const id = await ids.next(tx)
    const eventId = await ids.next(tx)
    named.push({ ...one, id, eventId, account_number: one.draft.account_number })
  }
  const numbers = await encryptNumbers(tx, keyring, TABLE, named)
  return named.map(({ businessId, live, now, id, eventId, claim, responseOf, ...one }, i) => {
    const tenant = { businessId, live }
    const { connection_id, ...draft } = one.draft
    const judged = one.isAboveLimit ? { ...draft, ...aboveLimit(draft) } : draft
    const row = { ...newRow(id, judged), ...numbers[i]! }
    const type = row.status === 'Pending' ? 'transfer.pending' : 'transfer.unverified'
    const record = transferRecord(row, tenant)
    const newEvent = transferEvent(type, row, tenant, now)
    const answer = responseOf?.(record)
    const event = eventRow(newEvent, eventId)
    return { place: one.place, tenant, row, connection_id, newEvent, event, record, claim, answer }
  })
}

/** A transfer as it is stored, except for its account number. */
const newRow = (id: number, { now, ...draft }: Omit<TransferDraft, 'connection_id'>) => ({
  ...draft,
  id,
  attempt: 1,
  timeline: JSON.stringify([{ status: draft.status, at: now, message: draft.failure_reason }]),
  event_sequence: 1,
  approved_by: null,
  approved_with: null,
  approved_by_name: null,
  approved_by_person: null,
  completed_at: null,
  reversed_at: null,
  created_at: now,
  updated_at: now,
  account_number_plain: null,
  can_cancel: true,
})

const holdOf = ({ tenant, row }: Made) => ({
  tenant,
  cause: { type: 'transfer', id: row.id },
  now: row.created_at,
  amount_minor: row.amount_minor + row.fee_minor,
  currency: row.currency,
})

/** Also shows approvers any other doubt, such as a different account name. */
const aboveLimit = ({ failure_reason }: Pick<TransferDraft, 'failure_reason'>) =>
  ({
    status: 'Unverified',
    failure_reason: [ABOVE_LIMIT, failure_reason].filter(Boolean).join('. '),
    doubt: 'limit',
  }) as const

const ABOVE_LIMIT = 'The amount is above the approval limit'

/**
 * If one person creates many transfers in a short time, approvers receive only one email, with a
 * link to all waiting transfers.
 */
const TELL_EVERY_MS = 15 * 60_000

async function emailAboutMade(tx: Tx, people: Deps['people'], made: readonly Made[]) {
  const waiting = made.filter(({ row }) => row.status !== 'Pending')
  const byCreator = Map.groupBy(
    waiting,
    ({ tenant: { businessId, live }, row }) => `${businessId} ${live} ${row.created_by_person}`,
  )
  for (const own of byCreator.values()) {
    const { tenant, row } = own[0]!
    const ids = own.map((one) => one.row.id)
    const creator = { created_by_person: row.created_by_person, ids }
    const since = addMs(row.created_at, -TELL_EVERY_MS)
    if (!(await hasWaitingSince(tx, tenant, creator, since))) {
      await emailApprovers(tx, people, tenant, row)
    }
  }
}

async function emailApprovers(tx: Tx, people: Deps['people'], tenant: Tenant, row: TransferRow) {
  const { amount_minor, currency, account_name, account_last4, bank_name } = row
  const notice = {
    what: 'approval_needed',
    amount: formatAmount(amount_minor, currency),
    to: `${account_name ?? shownNumber(account_last4 ?? '')}, ${bank_name}`,
    by: row.created_by_name ?? (row.origin === 'payout' ? 'The payout schedule' : 'An API key'),
    path: 'transfers?status=Unverified',
  } as const
  await people.emailApprovers(tx, tenant, notice, { but: row.created_by_person })
}

/** Names the transfer that already has the reference, so that a repeated request can find it. */
function referenceUsed({ reference, status }: Pick<TransferRow, 'reference' | 'status'>) {
  const fields = {
    transferReference: [`has already been used by ${reference}, which is ${status}`],
  }
  return conflict('transfer_reference_used', invalid(fields).message, fields)
}

/**
 * Returns what to throw if a request could not be drafted. If it repeats one that created a
 * transfer, an error which says that nothing was done would be wrong.
 */
export async function draftFailure(
  db: Db,
  caller: Caller,
  { transferReference }: NewTransfer,
  error: unknown,
): Promise<unknown> {
  if (transferReference === undefined) return error
  const used = await selectByCallerReference(db, caller, transferReference)
  return used ? referenceUsed(used) : error
}

/**
 * Returns what transferring an amount would cost now, without moving any money. Throws 400 for an
 * unknown currency.
 */
export async function transferCost(
  { db, people }: { db: Db; people: Deps['people'] },
  caller: Caller,
  query: TransferCostQuery,
) {
  const { currency } = query
  requireSupportedCurrency(currency)
  const amount_minor = parseAmount(query.amount, currency)
  const { fee_rules } = await paymentTermsOf(db, caller)
  const fee_minor = transferFee(fee_rules, amount_minor, currency)
  const total_minor = amount_minor + fee_minor
  return {
    ...amountsOf(currency, { amount: amount_minor, fee: fee_minor, total: total_minor }),
    currency,
    needsApproval: await wouldNeedApproval(db, people, caller, { amount_minor, currency }),
  }
}
