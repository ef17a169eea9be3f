import type { Database, Tx } from '../../db/database.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { Problem, unavailable } from '../../lib/problem.ts'
import { newReference } from '../../lib/random.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { Channel, ChargeRequest, Provider, VirtualAccount } from '../../providers/provider.ts'
import { shownTermsOf } from '../branding/shown.ts'
import { collectionFee } from '../businesses/fees.ts'
import type { Terms } from '../businesses/terms.ts'
import type { Deps } from '../deps.ts'
import { transactionEvent, virtualAccountEvent } from './events.ts'
import { abandonTransaction } from './expire.ts'
import {
  insertTransaction,
  type NewTransaction,
  resumeOpen,
  type TransactionRow,
  updateUssdCodes,
} from './queries.ts'
import { insertVirtualAccount, selectAccountOf } from './queries-accounts.ts'
import { failTransaction } from './settle.ts'

/**
 * How long the payer has: a code is dialled at once, a transfer may take a trip to the bank app.
 */
export const OPEN_MS: Record<Channel, number> = {
  USSD: 10 * 60_000,
  BANK_TRANSFER: 30 * 60_000,
}

/** When the provider is first asked what became of a charge that no notice told of. */
export const LOOK_UP_AFTER_MS = 60_000

/** What is to be paid, by whom and how. */
export interface Order {
  tenant: Tenant
  purpose: string
  purposeId: number
  invoiceReference: string | null
  amount_minor: Minor
  currency: string
  channel: Channel
  bankCode: string | null
  customer: { email: string | null; name: string | null; phone: string | null }
  now: Date
}

/**
 * Opens a way to pay: a virtual account or a USSD code. The one that is open already is given
 * again.
 *
 * `check` runs in the transaction that creates the row, and throws when nothing is to be paid. The
 * Pending row commits before the provider is called and its answer after, so that a crash or a
 * time-out in between leaves a transaction that a later look-up decides.
 */
export async function startTransaction(
  { db, ids, providers }: Pick<Deps, 'db' | 'ids' | 'providers'>,
  order: Order,
  check: (tx: Tx) => Promise<void>,
): Promise<TransactionRow> {
  const { tenant, channel } = order
  const provider = providers.of(tenant.live, channel)
  const terms = await shownTermsOf(db, tenant)
  const row = await db.transaction(async (tx) => {
    await check(tx)
    return insertOrResume(tx, ids, order, terms, provider.name)
  })
  await askProvider({ db, ids, providers }, tenant, row, { now: order.now, name: terms.name })
  return row
}

/**
 * Has the provider open a way to pay, and commits what it answers; nothing when it was opened
 * before. It may be run again, since the provider knows the reference. Throws 409 when it refuses.
 */
export async function askProvider(
  { db, ids, providers }: Pick<Deps, 'db' | 'ids' | 'providers'>,
  tenant: Tenant,
  row: TransactionRow,
  { now, name }: { now: Date; name: string },
): Promise<void> {
  if (row.ussd_codes || (await selectAccountOf(db, tenant, row.id))) return
  const provider = providers.of(tenant.live, row.channel as Channel)
  const request: ChargeRequest = {
    tenant,
    reference: row.reference,
    amount_minor: row.payable_minor,
    currency: row.currency,
    expiresAt: row.expires_at,
    now,
  }
  if (row.channel === 'USSD') await askUssd(db, ids, provider, row, request)
  else await askAccount(db, ids, provider, row, request, name)
}

/** How often an attempt may end between finding it open and taking it up again. */
const TRIES_MAX = 5

/** The open attempt if it still fits, else a new one in its place. */
async function insertOrResume(
  tx: Tx,
  ids: Deps['ids'],
  order: Order,
  terms: Terms,
  provider: string,
): Promise<TransactionRow> {
  const { tenant, channel, amount_minor, now } = order
  const key = { purpose: order.purpose, purpose_id: order.purposeId, channel }
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const inserted = await insertTransaction(
      tx,
      tenant,
      await rowOf(tx, ids, order, terms, provider),
    )
    if (inserted) {
      await appendEvents(tx, ids, [
        transactionEvent('transaction.pending', inserted, tenant, now, []),
      ])
      return inserted
    }
    const open = await resumeOpen(tx, tenant, key, order.bankCode)
    if (!open) continue
    if (open.amount_minor === amount_minor && open.expires_at > now) return open
    // Another amount is due by now, or its time is over: it makes way for a new one.
    await abandonTransaction(tx, ids, tenant, open.id, now)
  }
  throw unavailable('payment_just_ended', 'The payment just changed; look again.')
}

async function rowOf(
  tx: Tx,
  ids: Deps['ids'],
  { tenant: _, channel, amount_minor, currency, customer, now, ...order }: Order,
  terms: Terms,
  provider: string,
): Promise<NewTransaction> {
  const fee_minor = collectionFee(terms.fee_rules, channel, amount_minor, currency)
  return {
    id: await ids.next(tx),
    reference: newReference('TRX'),
    purpose: order.purpose,
    purpose_id: order.purposeId,
    status: 'Pending',
    channel,
    amount_minor,
    fee_minor,
    fee_bearer: terms.fee_bearer,
    payable_minor: terms.fee_bearer === 'customer' ? amount_minor + fee_minor : amount_minor,
    currency,
    customer_email: customer.email,
    customer_name: customer.name,
    customer_phone: customer.phone,
    invoice_reference: order.invoiceReference,
    provider,
    bank_code: order.bankCode,
    message: null,
    paid_at: null,
    expires_at: addMs(now, OPEN_MS[channel]),
    look_up_at: channel === 'USSD' ? addMs(now, LOOK_UP_AFTER_MS) : null,
    now,
  }
}

/** Commits the codes that the provider gives; throws 409 when it refuses, having said so too. */
export async function askUssd(
  db: Database,
  ids: Deps['ids'],
  provider: Provider,
  row: TransactionRow,
  request: ChargeRequest,
): Promise<void> {
  const outcome = await provider.startUssd(request)
  if (outcome.kind === 'unknown') return
  await db.transaction(async (tx) => {
    if (outcome.kind === 'done') {
      await updateUssdCodes(tx, request.tenant, row.id, JSON.stringify(outcome.value))
    } else {
      await failTransaction(tx, ids, request.tenant, row.id, outcome.message, request.now)
    }
  })
  if (outcome.kind === 'refused') throw refused(outcome.message)
}

async function askAccount(
  db: Database,
  ids: Deps['ids'],
  provider: Provider,
  row: TransactionRow,
  request: ChargeRequest,
  /** As payers know the business, so that the account bears the name that they see. */
  accountName: string,
): Promise<void> {
  const outcome = await provider.openVirtualAccount({ ...request, accountName })
  if (outcome.kind === 'unknown') return
  await db.transaction(async (tx) => {
    if (outcome.kind === 'refused') {
      await failTransaction(tx, ids, request.tenant, row.id, outcome.message, request.now)
      return
    }
    const event = await storeAccount(tx, ids, row, request, outcome.value)
    if (event) await appendEvents(tx, ids, [event])
  })
  if (outcome.kind === 'refused') throw refused(outcome.message)
}

export const refused = (message: string) =>
  new Problem('conflict', 'provider_refused', `The payment could not be started: ${message}`)

/** Two requests for one account at once store it once. */
async function storeAccount(
  tx: Tx,
  ids: Deps['ids'],
  row: TransactionRow,
  { tenant, now, expiresAt }: ChargeRequest,
  account: VirtualAccount,
): Promise<NewEvent | undefined> {
  const stored = await insertVirtualAccount(tx, tenant, {
    id: await ids.next(tx),
    transaction_id: row.id,
    account_number: account.accountNumber,
    account_name: account.accountName,
    bank_code: account.bankCode,
    bank_name: account.bankName,
    amount_minor: row.payable_minor,
    currency: row.currency,
    expires_at: expiresAt,
    created_at: now,
  })
  return (
    stored && virtualAccountEvent('virtual_account.created', stored, row.reference, tenant, now)
  )
}
