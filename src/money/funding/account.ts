import { paymentTermsOf } from '../../business/account/payment-settings.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { conflict, notFound, Problem } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import type { Provider } from '../../providers/connector/types.ts'
import { isNoConnection } from '../../providers/providers.ts'
import {
  deleteUnopened,
  type FundingAccountRow,
  insertAccount,
  selectAccount,
  updateOpened,
} from './queries.ts'
import { LOOK_UP_EVERY_MS } from './receive.ts'

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
    row = await insertAccount(db, tenant, {
      ...named,
      connection_id: connection.id,
      currency: CURRENCY,
    })
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
