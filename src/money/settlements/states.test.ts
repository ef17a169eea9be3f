import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { endOrders } from '../../provider-orders/statements.ts'
import { moveSettlement } from './provider-order.ts'
import {
  SETTLEMENT_STATES,
  type SettlementMove,
  type SettlementState,
  settlementMachine,
} from './schemas.ts'
import { openShop } from './settlements.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const shop = await openShop(server)
const tenant = { businessId: shop.businessId, live: false }
const stall = await shop.stall()

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const MOVES = Object.keys(settlementMachine.moves) as SettlementMove[]

/** The moves that lead to each state. */
const WAYS: Record<SettlementState, SettlementMove[]> = {
  Pending: [],
  Paid: ['pay'],
  Failed: ['fail'],
}

/** Also ends the settlement's provider order, like every provider response. */
const move = (id: number, event: SettlementMove) =>
  db.transaction(async (tx) => {
    const now = clock.now()
    const reason = { now, message: `By ${event}`, through: { connectionId: 1 } }
    const moved = await moveSettlement(tx, server, tenant, id, event, reason)
    if (moved) await endOrders(tx, tenant, { kind: 'settlement', id, now })
    return moved
  })

/** Creates a settlement of ₦500, plus the amount of an earlier failed one. */
async function settlementIn(state: SettlementState) {
  await shop.pay(1_000, stall.page)
  const [made] = await shop.settle()
  for (const event of WAYS[state]) await move(made.id, event)
  return made as { id: number; amountMinor: number; reference: string }
}

async function balances() {
  const { held_minor } = await db.one<{ held_minor: bigint }>`
    select credits_minor - debits_minor as held_minor from ledger_accounts
    where business_id = ${shop.businessId} and kind = 'held'`
  return [await shop.balance(stall.id), held_minor]
}

describe.each(SETTLEMENT_STATES)('a settlement that is %s', (state) => {
  test.each(MOVES)('200 for %s does what the table says, or nothing', async (event) => {
    const { id, amountMinor, reference } = await settlementIn(state)
    const minor = BigInt(amountMinor)
    const [balance, held] = await balances()
    const told = async () =>
      (
        await db.many<{ type: string; sequence: number }>`
          select type, sequence from events where object_id = ${id} order by sequence`
      ).map(({ type, sequence }) => `${sequence} ${type}`)
    const before = await told()

    const { from, to, ledger, event: type } = settlementMachine.moves[event]
    const isAllowed = (from as readonly string[]).includes(state)
    expect((await move(id, event))?.status).toBe(isAllowed ? to : undefined)

    const given = isAllowed && ledger !== 'post' ? minor : 0n
    const released = isAllowed && ledger !== 'return' ? minor : 0n
    expect(await balances()).toEqual([balance! + given, held! - released])
    expect(await told()).toEqual([
      ...before,
      ...(isAllowed && type ? [`${before.length + 1} ${type}`] : []),
    ])
    const shown = await shop.one(reference)
    expect(shown.status).toBe(isAllowed ? to : state)
    const isReturned = isAllowed && event === 'return'
    expect(shown.paidAt !== null).toBe(shown.status === 'Paid' || isReturned)
    expect(shown.returnedAt !== null).toBe(isReturned)
    const by = isReturned ? 'By return' : 'By fail'
    expect(shown.failureReason).toBe(shown.status === 'Failed' ? by : null)
    expect(shown.lines.length > 0).toBe(shown.status !== 'Failed')
  })
})

test('201 for Failed, which is final; only a return leaves Paid', () => {
  expect(SETTLEMENT_STATES.filter(settlementMachine.isFinal)).toEqual(['Failed'])
  const leaving = MOVES.filter((event) =>
    (settlementMachine.moves[event].from as readonly string[]).includes('Paid'),
  )
  expect(leaving).toEqual(['return'])
})
