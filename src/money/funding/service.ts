import { paymentTermsOf } from '../../business/account/payment-settings.ts'
import type { Database, Db } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { forEachConcurrent, JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { conflict, notFound, Problem } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { lockBooked } from '../../provider-orders/differences.ts'
import type { IncomingPayment, Provider } from '../../providers/connector/types.ts'
import { isNoConnection, throughOf } from '../../providers/providers.ts'
import { creditWallet } from '../wallet/service.ts'
import {
  claimDue,
  deleteUnopened,
  type FundingAccountRow,
  insertAccount,
  insertPayment,
  replaceRemoved,
  selectAccount,
  selectAccountByNumber,
  selectDue,
  selectPayment,
  updateLookedUp,
  updateOpened,
} from './queries.ts'

/** The currency of the accounts that providers open. */
const CURRENCY = 'NGN'

type FundingDeps = Pick<Deps, 'db' | 'ids' | 'providers'>

/**
 * Returns the account into which the business pays to fund its wallet. Throws 404
 * `funding_account_unavailable`, with instructions, if no provider offers one, and
 * `funding_account_not_found` if it has not been opened.
 */
export async function getFundingAccount(
  { db, providers }: Pick<FundingDeps, 'db' | 'providers'>,
  caller: Caller,
) {
  const row = await selectAccount(db, caller, CURRENCY)
  if (row?.status === 'Open') return fundingAccountRecord(row)
  if (!row) await offering(providers, caller)
  throw notFound('funding_account')
}

/**
 * Opens the account, or returns the one that is open. If the outcome of an earlier request is
 * unknown, repeats it with the same reference, at the same provider, and so do simultaneous
 * requests. Throws what the provider says if it has not opened an account for any of them.
 */
export async function openFundingAccount({ db, ids, providers }: FundingDeps, caller: Caller) {
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const found = () => selectAccount(db, tenant, CURRENCY)
  let row = await found()
  if (!row) {
    const { connection } = await offering(providers, tenant)
    const named = { id: await ids.next(db), reference: newReference('FAC'), created_at: now }
    const account = { ...named, connection_id: connection.id, currency: CURRENCY }
    await replaceRemoved(db, tenant, account)
    row = await insertAccount(db, tenant, account)
  }
  if (row.status === 'Open') return fundingAccountRecord(row)
  const failure = await open({ db, providers }, tenant, row, now)
  const opened = await found()
  if (opened?.status === 'Open') return fundingAccountRecord(opened)
  throw failure ?? new Error(`${row.reference} was opened and not stored`)
}

/** Returns the provider that opens the account of a business. */
async function offering(providers: Deps['providers'], tenant: Tenant): Promise<Provider> {
  try {
    const query = { service: 'FUNDING', currency: CURRENCY } as const
    const all = await providers.candidates(tenant, query)
    const able = all.find((one) => one.openFundingAccount && one.listFundingPayments)
    if (able) return able
  } catch (error) {
    if (!isNoConnection(error)) throw error
  }
  throw new Problem('not_found', 'funding_account_unavailable', INSTRUCTIONS)
}

const INSTRUCTIONS =
  'No provider of this business offers an account for funding the wallet. ' +
  'To fund the wallet, receive a payment instead, for example by paying an invoice of your own.'

/** Stores the account if the provider opens it. Returns why it does not. */
async function open(
  { db, providers }: Pick<FundingDeps, 'db' | 'providers'>,
  tenant: Tenant,
  row: FundingAccountRow,
  now: Date,
): Promise<Problem | undefined> {
  const { id, reference, connection_id } = row
  const provider = await providers.holder(connection_id)
  if (!provider.openFundingAccount) throw new Error(`${reference} cannot be opened`)
  const { name, email, phone } = await paymentTermsOf(db, tenant)
  const about = { tenant, order: { kind: 'funding', subjectId: id, attempt: 1 }, now }
  const outcome = await provider.openFundingAccount(about, { reference, name, email, phone })
  if (outcome.kind === 'done') {
    const providerId = outcome.refs?.id ?? null
    const lookUpAt = addMs(now, LOOK_UP_EVERY_MS)
    await updateOpened(db, tenant, row, { ...outcome.value, providerId, lookUpAt })
    return undefined
  }
  if (outcome.kind === 'unknown') {
    const message = 'It is not known whether the provider opened the account. Try again.'
    return new Problem('internal', 'outcome_unknown', message)
  }
  await deleteUnopened(db, tenant, id)
  if (outcome.kind === 'refused') {
    return conflict('provider_refused', `The provider did not open an account: ${outcome.message}`)
  }
  return new Problem(
    'unavailable',
    'provider_unavailable',
    'The provider cannot open an account at the moment: nothing was done.',
    { retryAfterSeconds: 60 },
  )
}

const fundingAccountRecord = (row: FundingAccountRow) => ({
  id: row.id,
  reference: row.reference,
  status: row.status,
  accountNumber: row.account_number!,
  accountName: row.account_name!,
  bankCode: row.bank_code,
  bankName: row.bank_name!,
  currency: row.currency,
  createdAt: row.created_at,
})

/** How often a provider is asked for the payments into an account. */
const LOOK_UP_EVERY_MS = 10 * 60_000

/** Payments are listed again for this long, because a provider can report one late. */
const OVERLAP_MS = 3 * 24 * 3_600_000

/** Each is a call to a provider, and transactions for what it lists. */
const AT_ONCE = 2

type ReceiveDeps = Pick<Deps, 'ids' | 'providers'> & { db: Database }

/** Asks providers for the payments into the accounts that fund wallets. */
export function fundingJob(deps: ReceiveDeps): Job {
  return {
    name: 'funding',
    everyMs: 30_000,
    followsTestClock: true,
    async run(db, now, only) {
      const due = await selectDue(db, now, only ?? null, JOB_ROWS_MAX)
      await forEachConcurrent(due, AT_ONCE, async (account) => {
        const tenant = { businessId: account.business_id, live: account.live }
        const next = addMs(now, LOOK_UP_EVERY_MS)
        if (await claimDue(db, tenant, account.id, { now, next })) {
          await lookUpFunding(deps, tenant, account, now)
        }
      })
      return due.length
    },
  }
}

/**
 * Adds to the wallet what was paid into an account and is not there yet. If the provider does not
 * respond, a later lookup lists the same payments.
 */
export async function lookUpFunding(
  { db, ids, providers }: ReceiveDeps,
  { businessId, live }: Tenant,
  account: FundingAccountRow,
  now: Date,
): Promise<void> {
  const tenant = { businessId, live }
  const { id, reference, provider_id } = account
  const provider = await providers.holder(account.connection_id)
  const about = { tenant, order: { kind: 'funding', subjectId: id, attempt: 1 }, now }
  const accountNumber = account.account_number
  if (accountNumber === null || !provider.listFundingPayments) return
  const since = addMs(account.looked_up_at ?? account.created_at, -OVERLAP_MS)
  const refs = provider_id === null ? {} : { id: provider_id }
  const listed = { reference, accountNumber, refs }
  const outcome = await provider.listFundingPayments(about, listed, since)
  if (outcome.kind !== 'done') return
  for (const payment of outcome.value) {
    // What the provider sends back by itself is never on our balance.
    if (payment.disposition === 'returning') continue
    const through = throughOf(provider.connection, payment.fee_minor)
    await receive({ db, ids }, tenant, { account, payment, through, now })
  }
  await updateLookedUp(db, tenant, id, now)
}

interface Receiving {
  account: FundingAccountRow
  payment: IncomingPayment
  through: ReturnType<typeof throughOf>
  now: Date
}

/** Does nothing if the payment has been received before, or was booked by a person. */
const receive = (
  { db, ids }: Pick<ReceiveDeps, 'db' | 'ids'>,
  tenant: Tenant,
  { account, payment, through, now }: Receiving,
): Promise<void> =>
  db.transaction(async (tx) => {
    const { amount_minor, currency, providerId } = payment
    const { id: accountId, connection_id: connectionId } = account
    const money = { kind: 'charge', providerIds: [providerId] } as const
    if (await lockBooked(tx, tenant, connectionId, money)) return
    const id = await ids.next(tx)
    const reference = newReference('FND')
    const row = { ...payment, id, reference, accountId, connectionId, now }
    if (!(await insertPayment(tx, tenant, row))) return
    const cause = { type: 'funding', id } as const
    const credit = { amount_minor, currency, through, cause, reference, now }
    await creditWallet(tx, ids, tenant, credit)
  })

/** Finds the account with this number at a connection. */
export const findFundingAccount = (
  db: Db,
  tenant: Tenant,
  connectionId: number,
  accountNumber: string,
) => selectAccountByNumber(db, tenant, connectionId, accountNumber)

/** Finds a payment that has been received, by the provider's own number. */
export const findFundingPayment = (
  db: Db,
  tenant: Tenant,
  connectionId: number,
  providerReference: string,
) => selectPayment(db, tenant, connectionId, providerReference)
