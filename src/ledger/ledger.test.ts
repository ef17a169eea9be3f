import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import type { Tx } from '../db/database.ts'
import {
  fees,
  funding,
  newTenant,
  provider,
  refunds,
  subaccount,
  through,
  transfer,
  wallet,
} from './ledger.fixture.ts'
import {
  AlreadyPosted,
  balancesOf,
  hold,
  postHold,
  postJournal,
  postJournals,
  voidHold,
} from './ledger.ts'

const now = new Date('2026-11-21T10:00:00.000Z')

describe('the ledger', async () => {
  const { db, ids } = await testDatabase()
  const run = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(work)

  /** A business with 1,000.00 in its wallet. */
  async function funded() {
    const tenant = await newTenant(db, ids)
    await run((tx) => postJournal(tx, ids, tenant, funding(tenant, 1, 100_000n)))
    return tenant
  }
  const balance = async (tenant: { businessId: number; live: boolean }, currency = 'NGN') =>
    (await balancesOf(db, tenant)).find((one) => one.currency === currency)

  test('a charge credits the wallet with the net and the operator with the fee', async () => {
    const tenant = await newTenant(db, ids)
    await run((tx) =>
      postJournal(tx, ids, tenant, {
        cause: { type: 'transaction', id: 7 },
        verb: 'settle',
        now,
        moves: [
          { debit: provider(), credit: wallet(), amount_minor: 98_500n, kind: 'charge' },
          { debit: provider(), credit: fees(), amount_minor: 1_500n, kind: 'fee' },
        ],
      }),
    )

    expect(await balancesOf(db, tenant)).toEqual([
      {
        currency: 'NGN',
        available_minor: 98_500n,
        pending_minor: 0n,
        held_minor: 0n,
        refunds_minor: 0n,
        fees_minor: 1_500n,
        subaccounts_minor: 0n,
      },
    ])
    expect(await transfersOf(tenant.businessId)).toEqual([
      { kind: 'charge', amount_minor: 98_500n, currency: 'NGN', cause_id: 7, created_at: now },
      { kind: 'fee', amount_minor: 1_500n, currency: 'NGN', cause_id: 7, created_at: now },
    ])
  })

  const transfersOf = (businessId: number) => db.many`
    select t.kind, t.amount_minor, t.currency, j.cause_id, t.created_at
    from ledger_transfers t join ledger_journals j on j.id = t.journal_id
    where t.business_id = ${businessId} order by t.id`

  test('a zero fee leaves no row, and a journal without any amount fails', async () => {
    const tenant = await newTenant(db, ids)
    const { moves, ...rest } = funding(tenant, 1, 500n)
    const free = { debit: provider(), credit: fees(), amount_minor: 0n, kind: 'fee' }
    await run((tx) => postJournal(tx, ids, tenant, { ...rest, moves: [...moves, free] }))
    expect(await transfersOf(tenant.businessId)).toHaveLength(1)

    const nothing = { ...rest, verb: 'again', moves: [free] }
    await expect(run((tx) => postJournal(tx, ids, tenant, nothing))).rejects.toThrow(/Nothing to/)
  })

  test('a hold stays in held until it is paid out, with its fee posted separately', async () => {
    const tenant = await funded()
    const cause = transfer(3)
    await run((tx) => hold(tx, ids, tenant, { cause, now, amount_minor: 60_000n, currency: 'NGN' }))
    expect(await balance(tenant)).toMatchObject({ available_minor: 40_000n, held_minor: 60_000n })

    const parts = [
      { amount_minor: 59_000n, kind: 'payout' },
      { to: fees(), amount_minor: 1_000n, kind: 'fee' },
    ]
    await run((tx) => postHold(tx, ids, tenant, { cause, through, now, parts }))
    expect(await balance(tenant)).toMatchObject({
      available_minor: 40_000n,
      held_minor: 0n,
      fees_minor: 1_000n,
    })
  })

  test('a released hold returns to the account it came from', async () => {
    const tenant = await funded()
    await run((tx) =>
      postJournal(tx, ids, tenant, {
        cause: { type: 'transaction', id: 2 },
        verb: 'settle',
        now,
        moves: [{ debit: provider(), credit: subaccount(9), amount_minor: 700n, kind: 'share' }],
      }),
    )
    const request = { cause: transfer(4), now, amount_minor: 700n, currency: 'NGN' }
    await run((tx) => hold(tx, ids, tenant, { ...request, from: subaccount(9) }))
    expect(await balance(tenant)).toMatchObject({ subaccounts_minor: 0n, held_minor: 700n })

    await run((tx) => voidHold(tx, ids, tenant, { cause: transfer(4), now }))
    expect(await balance(tenant)).toMatchObject({ subaccounts_minor: 700n, held_minor: 0n })
  })

  test('more than the balance fails with 400 insufficient_balance and leaves no row', async () => {
    const tenant = await funded()
    const request = { cause: transfer(5), now, amount_minor: 100_001n, currency: 'NGN' }
    await expect(run((tx) => hold(tx, ids, tenant, request))).rejects.toMatchObject({
      kind: 'invalid',
      code: 'insufficient_balance',
    })
    expect(await balance(tenant)).toMatchObject({ available_minor: 100_000n, held_minor: 0n })
    expect(await transfersOf(tenant.businessId)).toHaveLength(1)
  })

  test('repeating a cause and verb moves nothing, and the transaction continues', async () => {
    const tenant = await funded()
    const again = funding(tenant, 1, 100_000n)
    const caught = await run(async (tx) => {
      const error = await postJournal(tx, ids, tenant, again).catch((one: unknown) => one)
      await postJournal(tx, ids, tenant, funding(tenant, 2, 5n))
      return error
    })
    expect(caught).toBeInstanceOf(AlreadyPosted)
    expect(caught).toMatchObject({ kind: 'conflict', code: 'already_posted' })
    expect(await balance(tenant)).toMatchObject({ available_minor: 100_005n })
  })

  test('a hold ends only once, either paid out or released', async () => {
    const tenant = await funded()
    const cause = transfer(6)
    await run((tx) => hold(tx, ids, tenant, { cause, now, amount_minor: 10n, currency: 'NGN' }))
    await run((tx) => voidHold(tx, ids, tenant, { cause, now }))

    const posting = run((tx) => postHold(tx, ids, tenant, { cause, through, now }))
    await expect(posting).rejects.toMatchObject({ kind: 'conflict', code: 'hold_ended' })
    const voiding = run((tx) => voidHold(tx, ids, tenant, { cause, now }))
    await expect(voiding).rejects.toMatchObject({ kind: 'conflict', code: 'already_posted' })
    expect(await balance(tenant)).toMatchObject({ available_minor: 100_000n, held_minor: 0n })
  })

  test('a payout without a hold, or in parts that do not add up to it, fails', async () => {
    const tenant = await funded()
    const cause = transfer(8)
    const early = run((tx) => postHold(tx, ids, tenant, { cause, through, now }))
    await expect(early).rejects.toThrow('There is no money on hold for transfer 8')

    await run((tx) => hold(tx, ids, tenant, { cause, now, amount_minor: 10n, currency: 'NGN' }))
    const parts = [{ amount_minor: 11n, kind: 'payout' }]
    const tooMuch = run((tx) => postHold(tx, ids, tenant, { cause, through, now, parts }))
    await expect(tooMuch).rejects.toThrow('The parts of a hold add up to 11, not 10')
  })

  test('many journals in one statement add up per account and leave out a repeat', async () => {
    const tenant = await newTenant(db, ids)
    const other = await newTenant(db, ids, true)
    const journals = [
      { ...funding(tenant, 1, 100n), eventOn: wallet() },
      { ...funding(other, 1, 7n), eventOn: wallet() },
      { ...funding(tenant, 2, 20n), eventOn: wallet() },
      { ...funding(tenant, 1, 100n), eventOn: wallet() },
      { ...funding(tenant, 3, 3n), eventOn: wallet() },
    ]
    const posted = await run((tx) => postJournals(tx, ids, journals))

    expect(posted.map((one) => one?.event?.sequence)).toEqual([1, 1, 2, undefined, 3])
    const balances = posted.map((one) => one?.event?.balance_minor)
    expect(balances).toEqual([100n, 7n, 120n, undefined, 123n])
    expect(await balance(tenant)).toMatchObject({ available_minor: 123n })
    expect(await balance(other)).toMatchObject({ available_minor: 7n })
    const [next] = await run((tx) =>
      postJournals(tx, ids, [{ ...funding(tenant, 4, 1n), eventOn: wallet() }]),
    )
    expect(next?.event).toEqual({
      accountId: posted[0]?.event?.accountId,
      sequence: 4,
      balance_minor: 124n,
    })
  })

  test('a move cannot mix two currencies', async () => {
    const tenant = await funded()
    const move = { debit: wallet(), credit: refunds('USD'), amount_minor: 1n, kind: 'mistake' }
    const mixed = { ...funding(tenant, 9, 1n), moves: [move] }
    await expect(run((tx) => postJournal(tx, ids, tenant, mixed))).rejects.toMatchObject({
      code: '23503',
    })
  })

  test('a business has separate ledgers for test and live money', async () => {
    const tenant = await funded()
    const live = { ...tenant, live: true }
    expect(await balancesOf(db, live)).toEqual([])
    const request = { cause: transfer(1), now, amount_minor: 1n, currency: 'NGN' }
    await expect(run((tx) => hold(tx, ids, live, request))).rejects.toMatchObject({
      code: 'insufficient_balance',
    })
  })

  test('an account created in a rolled-back transaction is created again', async () => {
    const tenant = await newTenant(db, ids)
    const failing = run(async (tx) => {
      await postJournal(tx, ids, tenant, funding(tenant, 1, 5n))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    await run((tx) => postJournal(tx, ids, tenant, funding(tenant, 1, 6n)))
    expect(await balance(tenant)).toMatchObject({ available_minor: 6n })
  })

  test('the server can neither change nor delete posted rows', async () => {
    const { businessId } = await funded()
    const refused = { code: '42501' }
    await expect(
      db.run`update ledger_transfers set amount_minor = 1 where business_id = ${businessId}`,
    ).rejects.toMatchObject(refused)
    await expect(
      db.run`delete from ledger_transfers where business_id = ${businessId}`,
    ).rejects.toMatchObject(refused)
    await expect(
      db.run`update ledger_journals set cause_id = 1 where business_id = ${businessId}`,
    ).rejects.toMatchObject(refused)
    await expect(db.run`delete from ledger_seals`).rejects.toMatchObject(refused)
  })
})
