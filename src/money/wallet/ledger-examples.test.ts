import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import type { Tx } from '../../db/database.ts'
import { auditChecks, runAudit } from '../../ledger/audit.ts'
import { newTenant } from '../../ledger/ledger.fixture.ts'
import {
  type AccountRef,
  bookProviderFee,
  clearingOf,
  hold,
  postHold,
  postJournal,
  providerFeeMoves,
  type Through,
  walletOf,
} from '../../ledger/ledger.ts'
import { settlementMoves } from '../../payments/attempts/allocation.ts'
import { connect } from '../../providers/providers.fixture.ts'
import { walletChecks } from './audit.ts'
import { creditWallet } from './service.ts'
import { balancesIn } from './wallet.fixture.ts'

/* Money for which no operation exists yet, so these tests post the journals themselves. */

const server = await startServer({ jobs: false })
const { db, ids, clock, runJob } = server

const checks = [...auditChecks, ...walletChecks.filter(({ name }) => name !== 'known-causes')]
afterAll(async () => expect(await runAudit(db, checks)).toEqual([]))

const currency = 'NGN'
const wallet = walletOf(currency)
const unallocated: AccountRef = { kind: 'unallocated', currency }
const receivable: AccountRef = { kind: 'receivable', currency }
const fees: AccountRef = { kind: 'fees', currency }

/** A business without money, and its account with a provider. */
async function openBooks() {
  const tenant = await newTenant(db, ids)
  const connectionId = await connect(server, tenant.businessId)
  const clearing = clearingOf(connectionId, currency)
  const run = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(work)
  const cause = async <Type extends string>(type: Type) => ({ type, id: await ids.next() })
  const at = (kind: string) => `${kind} ${connectionId}`
  /** The money of a payment, after a fee of the operator. */
  const receive = async (net_minor: bigint, fee_minor = 0n) => {
    const of = { cause: await cause('gift'), verb: 'fund', now: clock.now() }
    const moves = [
      { debit: clearing, credit: wallet, amount_minor: net_minor, kind: 'charge' },
      { debit: clearing, credit: fees, amount_minor: fee_minor, kind: 'fee' },
    ]
    await run((tx) => postJournal(tx, ids, tenant, { ...of, moves }))
  }
  /** A deposit that was not accepted, but that the provider keeps. */
  const keep = async (amount_minor: bigint, through: Through) => {
    const of = { cause: await cause('deposit'), verb: 'receive', now: clock.now() }
    const moves = [
      { debit: clearing, credit: unallocated, amount_minor, kind: 'deposit' },
      ...providerFeeMoves(through, currency),
    ]
    await run((tx) => postJournal(tx, ids, tenant, { ...of, moves }))
  }
  const balances = () => balancesIn(db, tenant)
  return { tenant, connectionId, clearing, run, cause, at, receive, keep, balances }
}

describe('a lost dispute', () => {
  test('takes what the wallet has, and the rest from later payments', async () => {
    const { tenant, connectionId, clearing, run, cause, at, receive, balances } = await openBooks()
    await receive(447_050n, 25_000n)
    const dispute = await cause('dispute')
    const of = { cause: dispute, now: clock.now() }
    await run((tx) => hold(tx, ids, tenant, { ...of, amount_minor: 447_050n, currency }))
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 472_050,
      held: 447_050,
      fees: 25_000,
    })
    const moves = [{ debit: receivable, credit: clearing, amount_minor: 52_950n, kind: 'dispute' }]
    await run((tx) => postHold(tx, ids, tenant, { ...of, through: { connectionId }, moves }))
    expect(await balances()).toEqual({
      [at('provider_clearing')]: -27_950,
      receivable: 52_950,
      fees: 25_000,
    })
    await runJob('recoveries')
    expect(await balances()).toMatchObject({ receivable: 52_950 })

    await receive(30_000n)
    await runJob('recoveries')
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 2_050,
      receivable: 22_950,
      fees: 25_000,
    })
    await receive(70_000n)
    await runJob('recoveries')
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 72_050,
      wallet_available: 47_050,
      fees: 25_000,
    })
  })
})

describe('money that arrived without an owner', () => {
  test('is sent back, and its fee is taken from the wallet', async () => {
    const { tenant, connectionId, run, cause, at, receive, keep, balances } = await openBooks()
    const through = { connectionId, fee_minor: 35_00n }
    await keep(2_500_00n, through)
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 246_500,
      [at('provider_fees')]: 3_500,
      unallocated: 250_000,
    })
    const of = { cause: await cause('deposit_return'), now: clock.now() }
    const request = { ...of, amount_minor: 2_500_00n, currency, from: unallocated }
    await run((tx) => hold(tx, ids, tenant, request))
    await run((tx) => postHold(tx, ids, tenant, { ...of, through: { connectionId } }))
    const owed = { [at('provider_clearing')]: -3_500, [at('provider_fees')]: 3_500 }
    expect(await balances()).toEqual(owed)
    await receive(100_00n)
    await runJob('recoveries')
    expect(await balances()).toEqual({ [at('provider_clearing')]: 6_500, wallet_available: 6_500 })
  })

  test('is allocated to a payment', async () => {
    const { tenant, connectionId, run, cause, at, keep, balances } = await openBooks()
    await keep(2_500_00n, { connectionId })
    const division = { wallet_minor: 2_500_00n, fee_minor: 137_50n, excess_minor: 0n }
    const of = { cause: await cause('deposit'), verb: 'allocate', now: clock.now() }
    const moves = settlementMoves(unallocated, division, [])
    await run((tx) => postJournal(tx, ids, tenant, { ...of, moves }))
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 250_000,
      wallet_available: 236_250,
      fees: 13_750,
    })
  })

  test('cannot be given away twice', async () => {
    const { tenant, connectionId, run, cause, keep } = await openBooks()
    await keep(10_00n, { connectionId })
    const of = { cause: await cause('deposit_return'), now: clock.now() }
    const request = { ...of, amount_minor: 10_01n, currency, from: unallocated }
    await expect(run((tx) => hold(tx, ids, tenant, request))).rejects.toMatchObject({
      code: 'insufficient_balance',
    })
  })
})

describe('the provider’s own books', () => {
  test('what it pays out to the bank leaves the wallet as it is', async () => {
    const { tenant, connectionId, clearing, run, cause, at, receive, balances } = await openBooks()
    await receive(470_50n, 250_00n)
    const bank: AccountRef = { kind: 'bank', subjectId: connectionId, currency }
    const of = { cause: await cause('provider_settlement'), verb: 'settle', now: clock.now() }
    const moves = [{ debit: bank, credit: clearing, amount_minor: 700_00n, kind: 'settlement' }]
    await run((tx) => postJournal(tx, ids, tenant, { ...of, moves }))
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 2_050,
      [at('bank')]: 70_000,
      wallet_available: 47_050,
      fees: 25_000,
    })
  })

  test('money paid in to fund the wallet arrives without the fee', async () => {
    const { tenant, connectionId, run, cause, at, balances } = await openBooks()
    const funding = { amount_minor: 50_000_00n, currency, cause: await cause('funding') }
    const through = { connectionId, fee_minor: 300_00n, feesPaidBy: 'business' } as const
    const reference = 'FND_1'
    await run((tx) =>
      creditWallet(tx, ids, tenant, { ...funding, through, reference, now: clock.now() }),
    )
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 4_970_000,
      wallet_available: 4_970_000,
    })
    const { data } = await db.one<{ data: string }>`
      select data::text as data from events where business_id = ${tenant.businessId}`
    expect(JSON.parse(data)).toMatchObject({ amountMinor: 4_970_000, reference })
  })

  test('a fee that was a kobo higher, and money that is missing here, are booked later', async () => {
    const { tenant, connectionId, clearing, run, cause, at, receive, balances } = await openBooks()
    await receive(100_00n)
    const now = clock.now()
    const fee = { cause: await cause('difference'), through: { connectionId, fee_minor: 1n } }
    await run((tx) => bookProviderFee(tx, ids, tenant, { ...fee, currency, now }))
    const of = { cause: await cause('difference'), verb: 'receive', now }
    const moves = [
      { debit: clearing, credit: unallocated, amount_minor: 30_00n, kind: 'difference' },
    ]
    await run((tx) => postJournal(tx, ids, tenant, { ...of, moves }))
    await runJob('recoveries')
    expect(await balances()).toEqual({
      [at('provider_clearing')]: 12_999,
      wallet_available: 9_999,
      unallocated: 3_000,
    })
  })
})
