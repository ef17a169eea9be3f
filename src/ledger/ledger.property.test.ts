import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { fc } from '../../test/property.ts'
import type { Tenant } from '../lib/caller.ts'
import { runAudit } from './audit.ts'
import {
  fees,
  funding,
  newTenant,
  provider,
  refunds,
  subaccount,
  through,
  wallet,
} from './ledger.fixture.ts'
import {
  type AccountRef,
  balancesOf,
  hold,
  type PostedJournal,
  postHold,
  postJournal,
  postJournals,
  type TenantJournal,
  voidHold,
} from './ledger.ts'
import { Model, type Operation, type Outcome } from './model.fixture.ts'
import { sealLedger } from './seals.ts'

// For more runs: LEDGER_RUNS=1000 npm test.
const numRuns = Number(process.env.LEDGER_RUNS ?? 40)
const timeout = 60_000 + numRuns * 1_000

const now = new Date('2026-11-21T10:00:00.000Z')
const TENANTS = 3
const CURRENCIES = ['NGN', 'JPY']

const place = {
  tenant: fc.nat({ max: TENANTS - 1 }),
  currency: fc.constantFrom(...CURRENCIES),
  id: fc.integer({ min: 1, max: 5 }),
}
const big = fc.bigInt(1n, 10_000_000_000_000n)
const small = fc.bigInt(1n, 1_000n)
const op = <Name extends Operation['op']>(...names: Name[]) => fc.constantFrom(...names)
// Money comes in in large amounts and goes out in small ones, so most operations are possible.
const moneyIn = fc.record({
  ...place,
  amount_minor: fc.oneof(small, big),
  op: op('fund', 'overpay'),
})
const rest = fc.record({
  ...place,
  amount_minor: fc.oneof({ weight: 9, arbitrary: small }, { weight: 1, arbitrary: big }),
  op: op('refund', 'share', 'settle', 'hold', 'hold', 'hold', 'post', 'post', 'void'),
})
const charge = fc
  .record({ ...place, amount_minor: fc.oneof(small, big), op: op('charge'), part: fc.nat(100) })
  .map(({ part, ...one }) => ({ ...one, fee_minor: (one.amount_minor * BigInt(part)) / 100n }))
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 2, arbitrary: moneyIn },
  { weight: 1, arbitrary: charge },
  { weight: 7, arbitrary: rest },
)

describe('the ledger and a simple model of it', async () => {
  const { db, ids } = await testDatabase()

  const newTenants = async (): Promise<Tenant[]> => {
    const first = await newTenant(db, ids)
    return [first, { ...first, live: true }, await newTenant(db, ids)]
  }

  test('agree on random operations', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60, size: 'max' }), async (operations) => {
        const model = new Model()
        const tenants = await newTenants()
        for (const one of operations) {
          const outcome = await perform(tenants[one.tenant]!, one)
          expect([one, outcome]).toEqual([one, model.apply(one)])
        }
        await expectEqual(tenants, model)
      }),
      { numRuns },
    )
    await expectSound()
  })

  test('agree on batches of charges with repeats among them', {
    timeout,
  }, async () => {
    const deposit = fc.record({ ...place, amount_minor: big, op: op('fund') })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(deposit, { maxLength: 20, size: 'max' }), { maxLength: 10 }),
        async (batches) => {
          const model = new Model()
          const tenants = await newTenants()
          for (const batch of batches) {
            const journals = batch.map((one) => journalOf(tenants[one.tenant]!, one))
            const posted = await db.transaction((tx) => postJournals(tx, ids, journals))
            const outcomes = posted.map((one) => (one ? 'done' : 'already_posted'))
            expect(outcomes).toEqual(batch.map((one) => model.apply(one)))
          }
          await expectEqual(tenants, model)
        },
      ),
      { numRuns: Math.ceil(numRuns / 4) },
    )
    await expectSound()
  })

  async function perform(tenant: Tenant, one: Operation): Promise<Outcome> {
    try {
      await db.transaction(async (tx): Promise<PostedJournal> => {
        const cause = causeOf(one)
        const { amount_minor, currency } = one
        if (one.op === 'hold') return hold(tx, ids, tenant, { cause, now, amount_minor, currency })
        if (one.op === 'post') return postHold(tx, ids, tenant, { cause, through, now })
        if (one.op === 'void') return voidHold(tx, ids, tenant, { cause, now })
        return postJournal(tx, ids, tenant, journalOf(tenant, one))
      })
      return 'done'
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      if (message.startsWith('There is no money on hold')) return 'not_held'
      if (!code || !REFUSALS.has(code)) throw error
      return code as Outcome
    }
  }

  async function expectEqual(tenants: readonly Tenant[], model: Model): Promise<void> {
    for (const [i, tenant] of tenants.entries()) {
      const balances = await balancesOf(db, tenant)
      for (const currency of CURRENCIES) {
        const real = balances.find((one) => one.currency === currency)
        expect([currency, real?.available_minor ?? 0n]).toEqual([
          currency,
          model.balance(i, currency, 'available'),
        ])
        expect(real?.held_minor ?? 0n).toBe(model.balance(i, currency, 'held'))
        expect(real?.refunds_minor ?? 0n).toBe(model.balance(i, currency, 'refunds'))
        expect(real?.fees_minor ?? 0n).toBe(model.balance(i, currency, 'fees'))
        expect(real?.subaccounts_minor ?? 0n).toBe(model.balance(i, currency, 'subaccounts'))
      }
    }
    const businessIds = tenants.map(({ businessId }) => businessId)
    const { journals } = await db.one<{ journals: number }>`
      select count(*) as journals from ledger_journals where business_id = any(${businessIds})`
    expect(journals).toBe(model.journals)
  }

  async function expectSound(): Promise<void> {
    while ((await sealLedger(db, now, 500)) > 0);
    expect(await runAudit(db)).toEqual([])
  }
})

const REFUSALS = new Set(['already_posted', 'hold_ended', 'insufficient_balance'])

// A hold, its post and its void share one cause; every other operation has its own type of cause.
const causeOf = ({ op, id }: Operation) => ({
  type: ['hold', 'post', 'void'].includes(op) ? 'transfer' : op,
  id,
})

function journalOf(tenant: Tenant, one: Operation): TenantJournal {
  const { op, currency, amount_minor } = one
  const between = (debit: AccountRef, credit: AccountRef) => [
    { debit, credit, amount_minor, kind: op },
  ]
  const share = subaccount(77, currency)
  const moves = {
    overpay: between(provider(currency), refunds(currency)),
    refund: between(refunds(currency), provider(currency)),
    share: between(provider(currency), share),
    settle: between(share, provider(currency)),
  } as Record<string, TenantJournal['moves']>
  const journal = { ...funding(tenant, one.id, amount_minor, currency), verb: op }
  if (one.op === 'charge') return { ...journal, cause: causeOf(one), moves: chargeOf(one) }
  return { ...journal, cause: causeOf(one), moves: moves[op] ?? journal.moves }
}

const chargeOf = ({ currency, amount_minor, fee_minor }: Operation & { op: 'charge' }) => [
  {
    debit: provider(currency),
    credit: wallet(currency),
    amount_minor: amount_minor - fee_minor,
    kind: 'charge',
  },
  { debit: provider(currency), credit: fees(currency), amount_minor: fee_minor, kind: 'fee' },
]
