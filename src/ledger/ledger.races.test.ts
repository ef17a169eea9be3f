import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import type { Tx } from '../db/database.ts'
import { Problem } from '../lib/problem.ts'
import { runAudit } from './audit.ts'
import { funding, newTenant, subaccount, through, transfer, wallet } from './ledger.fixture.ts'
import { balancesOf, hold, postHold, postJournal, postJournals, voidHold } from './ledger.ts'

const now = new Date('2026-11-21T10:00:00.000Z')

describe('races', async () => {
  const { db, ids } = await testDatabase({ connectionsMax: 25 })

  /** Repeats what waited for a lock for too long, because the process that has it stood still. */
  async function run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await db.transaction(work)
      } catch (error) {
        if (!(error instanceof Problem && error.kind === 'unavailable')) throw error
      }
    }
  }

  async function funded(amount_minor: bigint) {
    const tenant = await newTenant(db, ids)
    await run((tx) => postJournal(tx, ids, tenant, funding(tenant, 1, amount_minor)))
    return tenant
  }
  const available = async (tenant: { businessId: number; live: boolean }) =>
    (await balancesOf(db, tenant))[0]!.available_minor

  /** Returns how many attempts succeeded, and the error codes of the others. */
  async function outcomesOf(attempts: readonly Promise<unknown>[]) {
    const settled = await Promise.allSettled(attempts)
    const refused = settled.filter((one) => one.status === 'rejected')
    const codes = refused.map(({ reason }) => (reason as Problem).code)
    return { done: settled.length - refused.length, codes: [...new Set(codes)] }
  }

  const times = <T>(count: number, work: (i: number) => Promise<T>) =>
    Array.from({ length: count }, (_, i) => work(i))

  /** Counts deadlocks, because a deadlock followed by a successful retry still costs a second. */
  async function deadlocks(): Promise<number> {
    const row = await db.one<{ deadlocks: number }>`
      select deadlocks from pg_stat_database where datname = current_database()`
    return row.deadlocks
  }

  test('50 writers that use the same accounts in opposite orders never deadlock', async () => {
    const tenant = await funded(10_000n)
    const swap = (i: number, accounts: readonly number[]) => ({
      cause: { type: 'swap', id: i },
      verb: 'move',
      now,
      moves: accounts.flatMap((n) => [
        { debit: wallet(), credit: subaccount(n), amount_minor: 20n, kind: 'there' },
        { debit: subaccount(n), credit: wallet(), amount_minor: 10n, kind: 'back' },
      ]),
    })
    const orders = [
      [1, 2, 3, 4, 5],
      [5, 4, 3, 2, 1],
    ]
    await Promise.all(
      times(50, (i) => run((tx) => postJournal(tx, ids, tenant, swap(i, orders[i % 2]!)))),
    )

    expect(await deadlocks()).toBe(0)
    const [balances] = await balancesOf(db, tenant)
    expect(balances).toMatchObject({ available_minor: 7_500n, subaccounts_minor: 2_500n })
  })

  test('concurrent credits to one account all count', async () => {
    const tenant = await funded(1n)
    const journal = (i: number) => funding(tenant, 100 + i, 10n)
    await Promise.all(times(40, (i) => run((tx) => postJournal(tx, ids, tenant, journal(i)))))
    expect(await available(tenant)).toBe(401n)
  })

  test('concurrent batches into one account all count, and each event has its own number', async () => {
    const tenant = await newTenant(db, ids)
    const batch = (n: number) =>
      Array.from({ length: 20 }, (_, i) => ({
        ...funding(tenant, n * 10 + i, 1n),
        eventOn: wallet(),
      }))
    const posted = await Promise.all(times(12, (n) => run((tx) => postJournals(tx, ids, batch(n)))))

    expect(await deadlocks()).toBe(0)
    // Each batch shares half its causes with the next, so there are 130 different causes.
    expect(await available(tenant)).toBe(130n)
    const sequences = posted.flat().flatMap((one) => one?.event?.sequence ?? [])
    expect(sequences.sort((a, b) => a - b)).toEqual(Array.from({ length: 130 }, (_, i) => i + 1))
  })

  test('100 holds that together exceed the balance take exactly the balance', async () => {
    const tenant = await funded(5_000n)
    const request = { now, amount_minor: 100n, currency: 'NGN' }
    const holds = times(100, (i) =>
      run((tx) => hold(tx, ids, tenant, { ...request, cause: transfer(i + 1) })),
    )
    expect(await outcomesOf(holds)).toEqual({ done: 50, codes: ['insufficient_balance'] })
    const [balances] = await balancesOf(db, tenant)
    expect(balances).toMatchObject({ available_minor: 0n, held_minor: 5_000n })
  })

  test('a hold is either paid out or released, never both', async () => {
    const tenant = await funded(2_000n)
    const held = (id: number, amount_minor: bigint) =>
      run((tx) =>
        hold(tx, ids, tenant, { cause: transfer(id), now, amount_minor, currency: 'NGN' }),
      )
    // Other money in `held`, which ending one hold twice could take.
    await held(99, 1_000n)
    for (let id = 1; id <= 20; id++) {
      await held(id, 50n)
      const cause = transfer(id)
      const ends = times(4, (i) =>
        run((tx) => (i % 2 ? postHold : voidHold)(tx, ids, tenant, { cause, through, now })),
      )
      const { done } = await outcomesOf(ends)
      expect(done).toBe(1)
    }
    const [balances] = await balancesOf(db, tenant)
    expect(balances).toMatchObject({ held_minor: 1_000n })
    expect(await runAudit(db)).toEqual([])
  })

  test('20 concurrent posts of one cause post it once', async () => {
    const tenant = await funded(1n)
    const same = funding(tenant, 2, 10n)
    const attempts = times(20, () => run((tx) => postJournal(tx, ids, tenant, same)))
    expect(await outcomesOf(attempts)).toEqual({ done: 1, codes: ['already_posted'] })
    expect(await available(tenant)).toBe(11n)
  })

  test('20 concurrent first uses of an account create one account', async () => {
    const tenant = await newTenant(db, ids)
    const first = (i: number) =>
      run((tx) => postJournal(tx, ids, tenant, funding(tenant, i + 1, 1n)))
    await Promise.all(times(20, first))
    const { businessId } = tenant
    const rows = await db.many`
      select kind, credits_minor from ledger_accounts where business_id = ${businessId}
      order by kind`
    expect(rows).toEqual([
      { kind: 'provider_clearing', credits_minor: 0n },
      { kind: 'wallet_available', credits_minor: 20n },
    ])
  })
})
