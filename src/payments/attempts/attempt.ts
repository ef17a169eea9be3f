import {
  collectionFee,
  type PaymentTerms,
  paymentTermsOf,
} from '../../business/account/payment-settings.ts'
import type { Database, Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import type { Deps } from '../../deps.ts'
import { appendEvents, type EventRow, eventRow, type NewEvent } from '../../events/append.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import type { Minor } from '../../lib/money.ts'
import { Problem } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import {
  findCurrentOrder,
  type ProviderReport,
  type StartedKind,
  sendAgain,
  sendAnother,
  sendOrder,
} from '../../provider-orders/orders.ts'
import { FIRST_LOOKUP_MS, firstOrder, type NewOrder } from '../../provider-orders/statements.ts'
import { bankOf } from '../../providers/banks/banks.ts'
import type {
  Channel,
  ChargeOrder,
  ChargeState,
  HostedPage,
  Outcome,
  Provider,
  RoutingQuery,
  UssdCode,
  VirtualAccount,
} from '../../providers/connector/types.ts'
import {
  computeAgain,
  type FeeBearer,
  newShares,
  reduceShares,
  type Share,
  sharesOfOne,
  updateShares,
  withFees,
} from './allocation.ts'
import { insertAttempts, type NewAttempt } from './insert.ts'
import {
  closeAccount,
  insertVirtualAccount,
  isLastOpen,
  lockOpen,
  moveTransaction,
  NO_PROVIDER,
  resumeAttempt,
  selectAccountOf,
  selectAttempts,
  selectById,
  shortenExpiry,
  type TransactionDetails,
  type TransactionRow,
  updateMethod,
  updatePayUrl,
  updateProvider,
  ussdCodesBatch,
} from './queries.ts'
import { type Attempt, attemptOf, hasCode, withCodes } from './read.ts'
import { transactionEvent, virtualAccountEvent } from './record.ts'
import { transactionMachine } from './schemas.ts'
import type { Payables } from './settle.ts'

/**
 * How long the payer has to pay. A code is dialled at once, whereas a transfer can require opening
 * the bank's app.
 */
export const ATTEMPT_OPEN_MS: Record<Channel, number> = {
  USSD: 10 * 60_000,
  BANK_TRANSFER: 30 * 60_000,
  CARD: 30 * 60_000,
}

/** The payable and the payer, which are the same for every attempt. */
export interface PaymentRequest extends TransactionDetails {
  tenant: Tenant
  purpose: string
  purpose_id: number
  /** The amount still to be paid. */
  amount_minor: Minor
  currency: string
  fee_bearer: FeeBearer
  now: Date
}

interface Method {
  /** An id allocated in advance, if another record refers to the attempt. */
  id?: number
  channel: TransactionRow['channel']
  /** Absent until the payer has chosen how to pay. */
  provider?: string
  /**
   * The provider order to send; `undefined` if no provider is called yet, or if none ever
   * is.
   */
  order?: NewOrder
  bankCode?: string | null
  expiresAt: Date
  fee_minor: Minor
  payable_minor: Minor
  /** Each subaccount's share, before its part of the fee. */
  shares?: readonly Share[]
  /** When it was paid, for a payment that Tradepost did not receive. */
  paidAt?: Date
}

/**
 * Stores an attempt with its shares, order and event. The caller must have locked the payable,
 * because two attempts on one channel can't be open at once, and must call the provider after the
 * commit. `earlier` events with the same cause are written in the same statement.
 */
export async function openAttempt(
  tx: Tx,
  ids: Ids,
  request: PaymentRequest,
  method: Method,
  earlier: readonly NewEvent[] = [],
): Promise<TransactionRow> {
  const attempt = await newAttempt(tx, ids, request, method, earlier)
  await insertAttempts(tx.query, [attempt])
  return attempt.row
}

export async function newAttempt(
  db: Db,
  ids: Ids,
  { tenant, now, ...request }: PaymentRequest,
  method: Method,
  earlier: readonly NewEvent[] = [],
): Promise<NewAttempt> {
  const { id = await ids.next(db), shares = [], order, ...rest } = method
  const row = newTransaction(id, { ...request, now }, rest)
  const frozen = await newShares(db, tenant, id, withFees(row, shares))
  const type = rest.paidAt ? 'transaction.successful' : 'transaction.pending'
  const events: EventRow[] = []
  for (const event of [...earlier, transactionEvent(type, row, tenant, now, frozen)]) {
    events.push(eventRow(event, await ids.next(db)))
  }
  return { tenant, row, order, shares: frozen, events }
}

function newTransaction(
  id: number,
  { now, message = null, ...request }: Omit<PaymentRequest, 'tenant'>,
  { provider = NO_PROVIDER, bankCode = null, paidAt, expiresAt, ...method }: Method,
): TransactionRow {
  const status = paidAt ? 'Successful' : 'Pending'
  return {
    customer_email: null,
    customer_name: null,
    customer_phone: null,
    invoice_reference: null,
    split_page_id: null,
    page_id: null,
    order_id: null,
    customer_id: null,
    subaccount_id: null,
    ip_address: null,
    location: null,
    metadata: null,
    ...request,
    ...method,
    id,
    reference: newReference('TRX'),
    status,
    paid_minor: paidAt ? method.payable_minor : null,
    excess_minor: 0n,
    refunded_minor: 0n,
    refunding_minor: 0n,
    disputed_minor: 0n,
    reversed_minor: 0n,
    provider,
    bank_code: bankCode,
    ussd_codes: null,
    pay_url: null,
    gateway_response: null,
    message,
    late: false,
    dismissed_at: null,
    paid_at: paidAt ?? null,
    expires_at: expiresAt,
    timeline: JSON.stringify([{ status, at: now, message }]),
    event_sequence: 1,
    created_at: now,
    updated_at: now,
  }
}

/**
 * Returns the provider for a channel, and the order that the request sends to it after the commit.
 * An account is first looked up when it expires, because providers notify us of each payment. The
 * simulator's are not looked up: it repeats a notification until we have received the payment. If
 * the provider refuses to start a charge twice, the order counts as sent only once a request has
 * claimed it.
 */
export const orderedFrom = (
  { connection, isSimulator, startIsRepeatable }: Provider,
  channel: Channel,
  { payable_minor, currency, expiresAt, now, isClaimed = startIsRepeatable }: Ordering,
): { provider: string; order: NewOrder } => ({
  provider: connection.provider,
  order: {
    connectionId: connection.id,
    amount_minor: payable_minor,
    currency,
    expiresAt,
    plan: channel === 'BANK_TRANSFER' ? 'account' : 'payer',
    sentAt: isClaimed ? now : null,
    nextAt:
      channel !== 'BANK_TRANSFER' ? addMs(now, FIRST_LOOKUP_MS) : isSimulator ? null : expiresAt,
  },
})

/** The payer's bank, if it is known, whose code the provider must have. */
export const dialling = (bankCode: string | null): Pick<RoutingQuery, 'bankCode'> =>
  bankCode === null ? {} : { bankCode }

interface Ordering {
  payable_minor: Minor
  currency: string
  expiresAt: Date
  now: Date
  /** Whether only this request knows of the order, and sends it. */
  isClaimed?: boolean
}

/** Returns what a payment through a channel costs the payer. */
export function costOf(
  { fee_rules }: Pick<PaymentTerms, 'fee_rules'>,
  {
    amount_minor,
    currency,
    fee_bearer,
  }: Pick<PaymentRequest, 'amount_minor' | 'currency' | 'fee_bearer'>,
  channel: Channel,
): { fee_minor: Minor; payable_minor: Minor } {
  const fee_minor = collectionFee(fee_rules, channel, amount_minor, currency)
  const onTop_minor = fee_bearer === 'customer' ? fee_minor : 0n
  return { fee_minor, payable_minor: amount_minor + onTop_minor }
}

export interface MethodChoice {
  channel: Channel
  /** The bank whose code is dialled; null selects the first. */
  bankCode: string | null
  /** When the attempt expires; the default depends on the channel. */
  expiresAt?: Date
}

/**
 * Returns the attempt that the payer uses now. This is the open attempt for the channel if it still
 * fits, otherwise one that has not been sent to a provider yet, otherwise a new one in addition to
 * those that are open. The caller must have locked the payable, and must call the provider after
 * the commit (`requestFromProvider`).
 */
export async function chooseMethod(
  tx: Tx,
  { ids, providers }: Pick<Deps, 'ids' | 'providers'>,
  terms: PaymentTerms,
  request: PaymentRequest,
  choice: MethodChoice,
): Promise<TransactionRow> {
  const { tenant, amount_minor, now } = request
  const { channel, expiresAt = addMs(now, ATTEMPT_OPEN_MS[channel]) } = choice
  const bankCode =
    channel === 'USSD' ? await servedBank(providers, tenant, choice.bankCode, tx) : null
  const { payable_minor } = costOf(terms, request, channel)
  const { currency } = request
  const open = await lockOpen(tx, tenant, request)
  const same = open.find((one) => one.channel === channel)
  const isFit = same?.amount_minor === amount_minor && same.expires_at > now
  if (isFit && same.provider !== NO_PROVIDER) return resumeAttempt(tx, tenant, same.id, bankCode)

  const key = `${request.purpose} ${request.purpose_id}`
  const paying = { service: channel, currency, amount_minor: payable_minor, key }
  const provider = await providers.choose(tenant, { ...paying, ...dialling(bankCode) }, tx)
  const ordered = orderedFrom(provider, channel, { payable_minor, currency, expiresAt, now })
  if (same && !isFit) await endAttempt(tx, ids, tenant, same.id, expiryMove(now))

  const method = { channel, ...ordered, bankCode, expiresAt, ...costOf(terms, request, channel) }
  const unassigned = open.find(
    (one) =>
      one.provider === NO_PROVIDER && one.amount_minor === amount_minor && (isFit || one !== same),
  )
  if (!unassigned) {
    return openAttempt(tx, ids, request, { ...method, shares: await frozenShares(tx, request) })
  }
  const row = await updateMethod(tx, tenant, unassigned, {
    ...method,
    bank_code: bankCode,
    expires_at: expiresAt,
  })
  const shares = await sharesOfOne(tx, tenant, row)
  if (shares.length > 0) await updateShares(tx, tenant, withFees(row, shares))
  return row
}

/** Returns the payer's bank if its USSD code can be created. */
async function servedBank(
  providers: Deps['providers'],
  tenant: Tenant,
  bankCode: string | null,
  tx: Tx,
): Promise<string | null> {
  if (bankCode === null || !bankOf(bankCode)?.ussdTemplate) return null
  const served = await providers.ussdBanks(tenant, tx)
  return served === null || served.includes(bankCode) ? bankCode : null
}

/**
 * Returns the shares of the amount still to be paid. They are the same as for an earlier attempt
 * or, if that attempt was for a different amount, in the same proportion. The shares of an attempt
 * of which nothing was applied are all 0, so those are computed again.
 */
async function frozenShares(tx: Tx, request: PaymentRequest): Promise<Share[]> {
  const { tenant, purpose, purpose_id, amount_minor, split_page_id, subaccount_id } = request
  if (!split_page_id && !subaccount_id) return []
  const attempts = await selectAttempts(tx, tenant, purpose, purpose_id)
  const earlier = attempts.find(({ paid_minor, excess_minor }) => paid_minor !== excess_minor)
  if (!earlier) return attempts[0] ? computeAgain(tx, tenant, attempts[0], amount_minor) : []
  const shares = await sharesOfOne(tx, tenant, earlier)
  return reduceShares(shares, amount_minor, earlier.amount_minor).map((share) => ({
    subaccountId: share.subaccount_id,
    share: share.share,
    amount_minor: share.amount_minor,
    fee_minor: 0n,
  }))
}

/** How an attempt can end without a payment. */
interface Ending {
  move: 'fail' | 'abandon'
  message: string
  now: Date
}

export const expiryMove = (now: Date): Ending => ({
  move: 'abandon',
  message: 'Not paid in time',
  now,
})

/**
 * Ends a Pending attempt and its account without a payment. If a payment arrives at the same time,
 * only one of the two takes effect. Returns whether the attempt was Pending.
 */
export async function endAttempt(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  id: number,
  { move, message, now }: Ending,
): Promise<boolean> {
  const { from, to } = transactionMachine.moves[move]
  const moved = await moveTransaction(tx, tenant, id, { from, to, message, now })
  if (!moved) return false
  const shares = await sharesOfOne(tx, tenant, moved)
  const events = [transactionEvent(`transaction.${to.toLowerCase()}`, moved, tenant, now, shares)]
  const isTransfer = moved.channel === 'BANK_TRANSFER'
  const account = isTransfer && (await closeAccount(tx, tenant, id, 'Expired'))
  if (account) {
    events.push(
      virtualAccountEvent('virtual_account.expired', account, moved.reference, tenant, now),
    )
  }
  await appendEvents(tx, ids, events)
  return true
}

export async function abandonOpenAttempts(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  { purpose, purposeId }: { purpose: string; purposeId: number },
  now: Date,
  message: string,
): Promise<void> {
  for (const { id, status } of await selectAttempts(tx, tenant, purpose, purposeId)) {
    if (status !== 'Pending') continue
    await endAttempt(tx, ids, tenant, id, { move: 'abandon', message, now })
  }
}

interface StartDeps {
  db: Database
  ids: Ids
  /** They know the pages to which payers come back. Only those pages offer card payments. */
  payables?: Payables
}

type ProviderDeps = StartDeps & Pick<Deps, 'providers'>

/** The provider's state for a charge and, once it has started, the codes or account to pay with. */
export type Charge = Pick<ChargeState, 'status' | 'message'> &
  Partial<ChargeState> & { means?: UssdCode[] | VirtualAccount | HostedPage }

/** How the provider starts a charge, and how its response is applied. */
export const chargeStart = ({
  db,
  ids,
  payables,
}: StartDeps): StartedKind<Charge, TransactionRow> => ({
  kind: 'charge',
  async send(provider, { about, reference }, row) {
    // Nobody can see any more what to pay with.
    if (row.status !== 'Pending' || row.expires_at <= about.now) return NOT_PAID_IN_TIME
    const order = chargeOrderOf(reference, row)
    if (row.channel === 'USSD') {
      const { bank_code: bankCode } = row
      return started(await provider.startUssd(about, { ...order, bankCode }))
    }
    if (row.channel === 'CARD') {
      const pageUrl = await payables?.[row.purpose]?.pageUrl?.(db, about.tenant, row.purpose_id)
      if (!pageUrl || !provider.openHostedPage) return NO_PAGE
      const returnUrl = pageUrl + RETURNED
      return started(await provider.openHostedPage(about, { ...order, returnUrl }))
    }
    // Payers know the business by this name, so the account is opened under it.
    const { name: accountName } = await paymentTermsOf(db, about.tenant)
    return started(await provider.openVirtualAccount(about, { ...order, accountName }))
  },
  lookUp: (provider, about, sent) => provider.lookUpCharge(about, sent),
  routing: ({ channel, payable_minor: amount_minor, currency, reference: key, bank_code }) => ({
    service: channel as Channel,
    currency,
    amount_minor,
    key,
    ...dialling(bank_code),
  }),
  moved: (tx, tenant, { id }, { provider }) => updateProvider(tx, tenant, id, provider),
  refused: (message) => ({ status: 'Failed', message }),
  apply({ tenant, order, row, state, now, report, note, commit }) {
    const { status, message, means } = state
    if (status === 'Failed' || status === 'Reversed') {
      return commit(async (tx) => {
        if (!(await isLastOpen(tx, tenant, order))) return
        await endAttempt(tx, ids, tenant, row.id, { move: 'fail', message, now })
      })
    }
    if (!means) return note()
    if (Array.isArray(means)) {
      return ussdCodesBatch(db).add({ report, codes: withCodes(row, means) })
    }
    return commit((tx) =>
      'url' in means
        ? updatePayUrl(tx, tenant, row.id, means.url)
        : storeAccount(tx, ids, { tenant, order, row, now }, means),
    )
  },
})

const NOT_PAID_IN_TIME = { kind: 'refused', code: 'declined', message: 'Not paid in time' } as const

/** The end of the URL to which a provider's page sends the payer back. */
export const RETURNED = '/returned'

const NO_PAGE = {
  kind: 'refused',
  code: 'unsupported',
  message: 'The provider has no page for card payments.',
} as const

const chargeOrderOf = (reference: string, row: TransactionRow): ChargeOrder => ({
  reference,
  amount_minor: row.payable_minor,
  currency: row.currency,
  expiresAt: row.expires_at,
  payer: { email: row.customer_email, name: row.customer_name, phone: row.customer_phone },
})

const started = (outcome: Outcome<NonNullable<Charge['means']>>): Outcome<Charge> =>
  outcome.kind === 'done'
    ? { ...outcome, value: { status: 'Pending', message: 'Started', means: outcome.value } }
    : outcome

/**
 * Asks the provider that holds an attempt's order to start it, and commits the USSD codes, the
 * account or the URL that the provider returns. Does nothing if the attempt already has them. Safe
 * to repeat: the provider recognises the reference, or gets a new order. Returns the URL of the
 * provider's page, if there is one. Throws 409 if the provider refuses.
 */
export async function requestFromProvider(
  deps: ProviderDeps,
  tenant: Tenant,
  row: TransactionRow,
  now: Date,
): Promise<string | undefined> {
  const { id, channel, pay_url } = row
  if (pay_url !== null) return pay_url
  const isTransfer = channel === 'BANK_TRANSFER'
  if (isTransfer ? await selectAccountOf(deps.db, tenant, id) : hasCode(row)) return undefined
  const order = await findCurrentOrder(deps.db, tenant, 'charge', id)
  if (!order) throw new Error(`Transaction ${id} was not ordered from any provider`)
  const start = chargeStart(deps)
  // Without a state, the last order may be for this bank and is perhaps still being sent.
  if (row.ussd_codes !== null && order.state !== null) {
    // Some providers create one code for one bank, so another bank needs another order, unless the
    // current one has brought its code meanwhile.
    const { ussd_codes } = (await selectById(deps.db, tenant, id)) ?? row
    if (hasCode({ ...row, ussd_codes })) return undefined
    const to = await deps.providers.choose(tenant, start.routing!(row))
    meansIn(await sendAnother(deps, start, { order, row, to, now }))
    return undefined
  }
  if (order.ended_at !== null) return undefined
  const means = meansIn(await sendAgain(deps, start, order, row, now))
  return means && 'url' in means ? means.url : undefined
}

/** Returns what to pay with if the provider's response contains it. Throws 409 if refused. */
function meansIn(answer: Outcome<Charge> | undefined): Charge['means'] {
  if (answer?.kind === 'refused') throw providerRefused(answer.message)
  return answer?.kind === 'done' ? answer.value.means : undefined
}

const providerRefused = (message: string) =>
  new Problem('conflict', 'provider_refused', `The payment could not be started: ${message}`)

type StoredWith = 'tenant' | 'order' | 'row' | 'now'

/**
 * If two requests ask for the same account at the same time, the account is stored only once. The
 * payer can pay until the bank closes the account, whatever we asked for.
 */
async function storeAccount(
  tx: Tx,
  ids: Ids,
  { tenant, order, row, now }: Pick<ProviderReport<Charge, TransactionRow>, StoredWith>,
  account: VirtualAccount,
): Promise<void> {
  const { expiresAt } = account
  const isShorter = expiresAt !== null && expiresAt < row.expires_at
  if (isShorter) await shortenExpiry(tx, tenant, row.id, expiresAt)
  const stored = await insertVirtualAccount(tx, tenant, {
    id: await ids.next(tx),
    transaction_id: row.id,
    connection_id: order.connection_id,
    attempt: order.attempt,
    account_number: account.accountNumber,
    account_name: account.accountName,
    bank_code: account.bankCode,
    bank_name: account.bankName,
    amount_minor: row.payable_minor,
    currency: row.currency,
    expires_at: isShorter ? expiresAt : row.expires_at,
    created_at: now,
  })
  if (!stored) return
  await appendEvents(tx, ids, [
    virtualAccountEvent('virtual_account.created', stored, row.reference, tenant, now),
  ])
}

/**
 * Asks the provider to start an attempt that was opened through the API, unless it has already
 * started or ended. Returns the attempt's resulting state. Throws 409 if the provider refused.
 */
export async function finishOpening(
  deps: ProviderDeps,
  { businessId, live, now }: Tenant & { now: Date },
  id: number,
): Promise<Attempt> {
  const tenant = { businessId, live }
  const opened = await attemptOf(deps.db, tenant, id)
  if (!opened) throw new Error(`Transaction ${id} was opened, but no longer exists`)
  const { status, expires_at } = opened.transaction
  if (status === 'Pending' && expires_at > now) {
    await requestFromProvider(deps, tenant, opened.transaction, now)
  }
  const attempt = (await attemptOf(deps.db, tenant, id)) ?? opened
  const { transaction, account } = attempt
  const hasStarted =
    account !== undefined || transaction.ussd_codes !== null || transaction.pay_url !== null
  if (transaction.status === 'Failed' && !hasStarted) {
    throw providerRefused(transaction.gateway_response ?? '')
  }
  return attempt
}

/** Like `finishOpening`, for a USSD payment that this request has just written. */
export async function startUssd(
  deps: ProviderDeps,
  { tenant, row, order }: NewAttempt,
): Promise<TransactionRow> {
  const sent = firstOrder('charge', tenant, row, order!)
  const codes = meansIn(await sendOrder(deps, chargeStart(deps), sent, row, () => row.created_at))
  return Array.isArray(codes) ? { ...row, ussd_codes: JSON.stringify(codes) } : row
}
