import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { balancesOf } from '../../ledger/ledger.ts'
import { endOrders } from '../../provider-orders/statements.ts'
import {
  TRANSFER_STATES,
  type TransferMove,
  type TransferState,
  transferMachine,
} from './schemas.ts'
import { moveTransfer } from './transition.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'

const server = await startServer({ jobs: false })
const { db, clock, business } = server
const tenant = { businessId: business.businessId, live: false }

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const MOVES = Object.keys(transferMachine.moves) as TransferMove[]

/** The moves that lead to each state. */
const WAYS: Record<TransferState, TransferMove[]> = {
  Unverified: [],
  Pending: ['approve'],
  Successful: ['approve', 'succeed'],
  Failed: ['approve', 'fail'],
  Blocked: ['approve', 'block'],
  Rejected: ['reject'],
}

/** Also ends the transfer's order, like every provider response. */
const move = (id: number, event: TransferMove, attempt?: number) =>
  db.transaction(async (tx) => {
    const now = clock.now()
    const message = `Because of ${event}`
    const through = { connectionId: 1 }
    const only = attempt !== undefined && { attempt }
    const moved = await moveTransfer(tx, server, tenant, id, event, {
      now,
      message,
      through,
      ...only,
    })
    if (moved?.completed_at) await endOrders(tx, tenant, { kind: 'transfer', id, now })
    return moved
  })

/** Creates a transfer of ₦100 with a fee of ₦10 in this state. */
async function transferIn(state: TransferState): Promise<number> {
  const account = { bankCode: '058', accountNumber: '0000000005' }
  const { body } = await server.post(TRANSFERS, { amount: 100, ...account })
  for (const event of WAYS[state]) await move(body.data.id, event)
  return body.data.id
}

async function balances() {
  const [naira] = await balancesOf(db, tenant)
  return [naira!.available_minor, naira!.held_minor, naira!.fees_minor]
}

/** How each ledger verb changes the wallet, the amount on hold, and the fees. */
const CHANGES: Record<string, bigint[]> = {
  none: [0n, 0n, 0n],
  void: [11_000n, -11_000n, 0n],
  post: [0n, -11_000n, 1_000n],
  return: [11_000n, 0n, -1_000n],
}

describe.each(TRANSFER_STATES)('a transfer that is %s', (state) => {
  test.each(MOVES)('201 for %s does what the table says, or nothing', async (event) => {
    const id = await transferIn(state)
    const before = await balances()
    const events = async () =>
      (
        await db.many<{ type: string; sequence: number }>`
          select type, sequence from events where object_id = ${id} order by sequence`
      ).map(({ type, sequence }) => `${sequence} ${type}`)
    const told = await events()

    const { from, to, ledger, event: type } = transferMachine.moves[event]
    const isAllowed = (from as readonly string[]).includes(state)
    const moved = await move(id, event)

    expect(moved?.status).toBe(isAllowed ? to : undefined)
    const changed = (await balances()).map((now, i) => now - before[i]!)
    expect(changed).toEqual(CHANGES[isAllowed ? ledger : 'none'])
    expect(await events()).toEqual([...told, ...(isAllowed ? [`${told.length + 1} ${type}`] : [])])
  })
})

describe('the table', () => {
  test('Failed and Rejected are final, and only a return leaves Successful', () => {
    expect(TRANSFER_STATES.filter(transferMachine.isFinal)).toEqual(['Failed', 'Rejected'])
    expect(MOVES.filter((event) => from(event).includes('Successful'))).toEqual(['return'])
  })

  const from = (event: TransferMove): readonly string[] => transferMachine.moves[event].from

  test('201 for news of an attempt that is not current moves nothing', async () => {
    const id = await transferIn('Blocked')
    expect((await move(id, 'retry'))?.attempt).toBe(2)
    for (const event of ['succeed', 'fail', 'block', 'refuse'] as const) {
      expect(await move(id, event, 1)).toBeUndefined()
    }
    expect((await move(id, 'succeed', 2))?.status).toBe('Successful')
  })
})
