import {
  mostTransferable,
  paymentTermsOf,
  transferFee,
} from '../../business/account/payment-settings.ts'
import {
  lockPayoutTerms,
  type PayoutTerms,
  refuseAutomatic,
} from '../../business/account/payout-schedule.ts'
import type { Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { type Minor, parseAmount } from '../../lib/money.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { newReference } from '../../lib/tokens.ts'
import { payoutQuery } from '../../providers/routing.ts'
import { createTransfer } from '../transfers/create.ts'
import { type Actor, actorOf } from '../transfers/transition.ts'
import { walletBalances } from '../wallet/service.ts'

export type PayoutDeps = Pick<Deps, 'ids' | 'nudge' | 'people' | 'keyring' | 'providers'>

/** The narration on the bank statement of the business. */
const NARRATION = 'Payout'

/**
 * Pays out to the business's settlement account: `amount` or, if absent, all of the available
 * balance. Throws `automatic_settlement`, `settlement_account_missing` and `payouts_paused` (409),
 * and `insufficient_balance` (400).
 */
export async function createPayout(
  tx: Tx,
  deps: PayoutDeps,
  caller: Caller,
  { amount }: { amount?: number | string | undefined },
) {
  const terms = await lockPayoutTerms(tx, deps.keyring, caller)
  await refuseAutomatic(tx, caller)
  const account = accountIn(terms)
  if (isPaused(terms, caller.now)) {
    throw conflict(
      'payouts_paused',
      'The settlement account was changed, so nothing is paid out to it before ' +
        `${terms.pausedUntil!.toISOString()}.`,
    )
  }
  const all = await mostPayable(tx, caller, terms.currency)
  const amount_minor = amount === undefined ? all.amount_minor : parseAmount(amount, terms.currency)
  if (amount === undefined && amount_minor === 0n) throw nothingToPay()
  const payout = { amount_minor, currency: terms.currency, account, actor: actorOf(caller) }
  return payOut(tx, deps, caller, payout)
}

/** Throws `settlement_account_missing` (409). */
function accountIn({ account }: PayoutTerms): NonNullable<PayoutTerms['account']> {
  if (account) return account
  throw conflict(
    'settlement_account_missing',
    'The business has no settlement account. Add one in the settings first.',
  )
}

export const isPaused = ({ pausedUntil }: PayoutTerms, now: Date): boolean =>
  pausedUntil !== null && pausedUntil > now

const nothingToPay = () =>
  new Problem(
    'invalid',
    'insufficient_balance',
    'There is nothing to pay out: the available balance does not cover more than the transfer fee.',
  )

/** Returns the largest amount that the wallet can pay out, with its fee. */
export async function mostPayable(
  db: Tx | Deps['db'],
  { businessId, live }: Tenant,
  currency: string,
): Promise<{ available_minor: Minor; amount_minor: Minor; fee_minor: Minor }> {
  const tenant = { businessId, live }
  const { fee_rules } = await paymentTermsOf(db, tenant)
  const wallet = (await walletBalances(db, tenant)).find((one) => one.currency === currency)
  const available_minor = BigInt(wallet?.availableMinor ?? 0)
  const amount_minor = mostTransferable(fee_rules, available_minor, currency)
  const fee_minor = amount_minor === 0n ? 0n : transferFee(fee_rules, amount_minor, currency)
  return { available_minor, amount_minor, fee_minor }
}

interface Payout {
  amount_minor: Minor
  currency: string
  account: NonNullable<PayoutTerms['account']>
  /** Null if the schedule makes the payout. */
  actor: Actor | null
}

/** Creates the transfer. The bank has confirmed the holder when the account was saved. */
export async function payOut(
  tx: Tx,
  deps: PayoutDeps,
  { businessId, live, now }: Tenant & { now: Date },
  { amount_minor, currency, account, actor }: Payout,
) {
  const tenant = { businessId, live }
  const reference = newReference('TRF')
  const { bankCode: bank_code, bankName: bank_name, accountNumber, accountName } = account
  const paying = payoutQuery({ currency, amount_minor, bank_code, reference })
  const { connection } = await deps.providers.choose(tenant, paying, tx)
  const { fee_rules } = await paymentTermsOf(tx, tenant)
  return createTransfer(
    tx,
    deps,
    { ...tenant, now },
    {
      reference,
      transfer_reference: reference,
      origin: 'payout',
      status: 'Pending',
      amount_minor,
      fee_minor: transferFee(fee_rules, amount_minor, currency),
      currency,
      bank_code,
      bank_name,
      account_number: accountNumber,
      account_name: accountName,
      narration: NARRATION,
      metadata: null,
      failure_reason: null,
      provider: connection.provider,
      connection_id: connection.id,
      doubt: null,
      created_by: actor?.with === 'person' ? actor.personId : null,
      created_with: actor?.with ?? null,
      created_by_name: actor?.name ?? null,
      created_by_person: actor?.personId ?? null,
      now,
    },
  )
}
