import { needsApproval, wouldNeedApproval } from '../../business/account/approval.ts'
import { paymentTermsOf, transferFee } from '../../business/account/payment-settings.ts'
import type { Db, Tx } from '../../db/database.ts'
import { indexText } from '../../db/text-search.ts'
import type { Deps } from '../../deps.ts'
import {
  type EncryptedNumber,
  encryptNumber,
  shownNumber,
} from '../../encryption/account-numbers.ts'
import { appendEvents } from '../../events/append.ts'
import { writeRowNote } from '../../ledger/row-notes.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { amountsOf, formatAmount, parseAmount } from '../../lib/money.ts'
import { conflict, invalid } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { orderJobName } from '../../provider-orders/orders.ts'
import { doubtOf, holderOf } from '../../providers/account-holder.ts'
import { bankNamed } from '../../providers/banks/banks.ts'
import { payoutQuery, requireSupportedCurrency } from '../../providers/routing.ts'
import { holdOrRetry, requireBalance } from '../wallet/service.ts'
import { protectedTransfers } from './audit.ts'
import { TABLE } from './numbers.ts'
import {
  hasWaitingSince,
  insertTransfer,
  type NewTransferRow,
  selectByCallerReference,
  TRANSFERS,
  type TransferRow,
} from './queries.ts'
import { transferRecord } from './record.ts'
import type { NewTransfer, TransferCostQuery } from './schemas.ts'
import { actorOf, transferEvent } from './transition.ts'

/**
 * A transfer to be stored. It has no id yet, and its amount has not been checked against the
 * limits.
 */
export interface TransferDraft extends Omit<NewTransferRow, 'id' | keyof EncryptedNumber> {
  account_number: string
}

/**
 * Builds a transfer from a request. Runs outside the transaction because it asks the bank for the
 * account holder. Does not depend on the bank's response. Throws 400 naming the invalid field, and
 * `live_provider_missing` (503) if no provider could pay the transfer.
 */
export async function draftTransfer(
  { db, providers }: { db: Db; providers: Deps['providers'] },
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
    paymentTermsOf(db, caller),
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

/**
 * Stores a transfer and holds its amount and fee. The payout is requested after the commit. Throws
 * `transfer_reference_used` (409) and `insufficient_balance` (400), in this order.
 */
export async function createTransfer(
  tx: Tx,
  { ids, nudge, people, keyring }: Pick<Deps, 'ids' | 'nudge' | 'people' | 'keyring'>,
  caller: Tenant & { now: Date },
  { account_number, ...draft }: TransferDraft,
) {
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const isAbove = await needsApproval(tx, people, caller, draft)
  const judged = isAbove ? { ...draft, ...aboveLimit(draft) } : draft
  const id = await ids.next(tx)
  const number = await encryptNumber(tx, keyring, TABLE, { ...tenant, id }, account_number)
  const stored = await insertTransfer(tx, tenant, { ...judged, ...number, id })
  if (!stored) {
    throw referenceUsed((await selectByCallerReference(tx, tenant, draft.transfer_reference))!)
  }
  const row = { ...stored, account_number }
  await writeRowNote(tx, protectedTransfers, tenant, row.id)
  await indexText(tx, tenant, TRANSFERS, row)
  const isPending = row.status === 'Pending'
  const event = isPending ? 'transfer.pending' : 'transfer.unverified'
  await appendEvents(tx, ids, [transferEvent(event, row, tenant, now)])
  await requireBalance(tx, tenant, row)
  if (!isPending) await tellApprovers(tx, people, tenant, row, now)
  // This comes last because, from here until the commit, every other movement in this wallet has to
  // wait.
  await holdOrRetry(tx, ids, tenant, {
    cause: { type: 'transfer', id: row.id },
    now,
    amount_minor: row.amount_minor + row.fee_minor,
    currency: row.currency,
  })
  if (isPending) tx.after(() => nudge(orderJobName('transfer')))
  return transferRecord(row, tenant)
}

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

async function tellApprovers(
  tx: Tx,
  people: Deps['people'],
  tenant: Tenant,
  row: TransferRow,
  now: Date,
): Promise<void> {
  if (await hasWaitingSince(tx, tenant, row, addMs(now, -TELL_EVERY_MS))) return
  const { amount_minor, currency, account_name, account_last4, bank_name } = row
  const news = {
    what: 'approval_needed',
    amount: formatAmount(amount_minor, currency),
    to: `${account_name ?? shownNumber(account_last4 ?? '')}, ${bank_name}`,
    by: row.created_by_name ?? (row.origin === 'payout' ? 'The payout schedule' : 'An API key'),
    path: 'transfers?status=Unverified',
  } as const
  await people.emailApprovers(tx, tenant, news, { but: row.created_by_person })
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
