import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { balancesOf } from '../../ledger/ledger.ts'
import { endOrders } from '../../provider-orders/statements.ts'
import { shopOn } from './bills.fixture.ts'
import { moveBill } from './provider-order.ts'
import { BILL_STATES, type BillState, billMachine, type UtilityMove } from './schemas.ts'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server
const { tenant, buy } = await shopOn(server)

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const MOVES = Object.keys(billMachine.moves) as UtilityMove[]

/** The moves that lead to each state. */
const WAYS: Record<BillState, UtilityMove[]> = {
  Pending: [],
  Successful: ['succeed'],
  Failed: ['fail'],
}

/** Also ends the payment's provider order, like every provider response. */
const move = (id: number, event: UtilityMove) =>
  db.transaction(async (tx) => {
    const now = clock.now()
    const said = { now, message: `Because of ${event}`, through: { connectionId: 1 } }
    const moved = await moveBill(tx, ids, tenant, id, event, said)
    if (moved) await endOrders(tx, tenant, { kind: 'bill', id, now })
    return moved
  })

/** Creates ₦100.04 of airtime in this state. */
async function paymentIn(state: BillState): Promise<number> {
  const { status, body } = await buy({ amount: 100.04 })
  expect(status).toBe(200)
  for (const event of WAYS[state]) await move(body.responseData.transactionId, event)
  return body.responseData.transactionId
}

async function balances() {
  const [naira] = await balancesOf(db, tenant)
  return [naira!.available_minor, naira!.held_minor, naira!.fees_minor]
}

/** How each ledger verb changes the wallet, the amount on hold, and the fees. */
const CHANGES: Record<string, bigint[]> = {
  none: [0n, 0n, 0n],
  void: [10_004n, -10_004n, 0n],
  post: [0n, -10_004n, 0n],
}

describe.each(BILL_STATES)('a utility payment that is %s', (state) => {
  test.each(MOVES)('200 for %s does what the table says, or nothing', async (event) => {
    const id = await paymentIn(state)
    const before = await balances()
    const events = async () =>
      (
        await db.many<{ type: string; sequence: number }>`
          select type, sequence from events where object_id = ${id} order by sequence`
      ).map(({ type, sequence }) => `${sequence} ${type}`)
    const told = await events()

    const { from, to, ledger, event: type } = billMachine.moves[event]
    const isAllowed = (from as readonly string[]).includes(state)
    const moved = await move(id, event)

    expect(moved?.status).toBe(isAllowed ? to : undefined)
    const changed = (await balances()).map((now, i) => now - before[i]!)
    expect(changed).toEqual(CHANGES[isAllowed ? ledger : 'none'])
    expect(await events()).toEqual([...told, ...(isAllowed ? [`${told.length + 1} ${type}`] : [])])
  })
})

test('Successful and Failed are final', () => {
  expect(BILL_STATES.filter(billMachine.isFinal)).toEqual(['Successful', 'Failed'])
})
