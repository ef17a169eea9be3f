import type { Db, Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { appendEvents, type NewEvent } from '../../events/append.ts'
import { balancesOf, postJournal } from '../../ledger/ledger.ts'
import { type Minor, toAmount } from '../../lib/money.ts'
import type { Tenant } from '../../lib/tenant.ts'

/** What a business has, one entry for each currency it ever used. */
export async function walletBalances(db: Db, tenant: Tenant) {
  const balances = await balancesOf(db, tenant)
  return balances.map(({ currency, available_minor, pending_minor, held_minor }) => ({
    currency,
    available: toAmount(available_minor, currency),
    availableMinor: Number(available_minor),
    pending: toAmount(pending_minor, currency),
    held: toAmount(held_minor, currency),
    ledger: toAmount(available_minor + pending_minor + held_minor, currency),
  }))
}

interface Funding {
  /** The wallet's account and its count of events, as `postJournal` answers them. */
  account: { accountId: number; sequence: number }
  amount_minor: Minor
  currency: string
  source: { type: string; reference: string }
}

/** Money came into the wallet; the wallet's account counts these events. */
export const walletFunded = (
  { account, amount_minor, currency, source }: Funding,
  tenant: Tenant,
  at: Date,
): NewEvent => ({
  ...tenant,
  type: 'wallet.funded',
  objectType: 'wallet',
  objectId: account.accountId,
  sequence: account.sequence,
  data: {
    reference: source.reference,
    status: 'Successful',
    amount: toAmount(amount_minor, currency),
    amountMinor: Number(amount_minor),
    currency,
    source,
  },
  at,
})

/** Puts money into a wallet from the provider, as the simulator's button does. */
export async function fundWallet(
  tx: Tx,
  ids: Ids,
  tenant: Tenant,
  funding: {
    amount_minor: Minor
    currency: string
    cause: { type: string; id: number }
    reference: string
    now: Date
  },
): Promise<void> {
  const { amount_minor, currency, cause, reference, now } = funding
  const wallet = { kind: 'wallet_available', currency } as const
  const { event } = await postJournal(tx, ids, tenant, {
    cause,
    verb: 'fund',
    now,
    eventOn: wallet,
    moves: [
      {
        debit: { kind: 'provider_clearing', currency },
        credit: wallet,
        amount_minor,
        kind: 'funding',
      },
    ],
  })
  if (!event) throw new Error('The ledger counted no event on the wallet')
  const source = { type: cause.type, reference }
  await appendEvents(tx, ids, [
    walletFunded({ account: event, amount_minor, currency, source }, tenant, now),
  ])
}
