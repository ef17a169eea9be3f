import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'
import { recordReferenceOf, sentReferenceOf } from '../../providers/connector/references.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const USER = '/api/user-service/external/v1'

type Server = Awaited<ReturnType<typeof startServer>>

/** The balances of a new business's wallet before it sends anything. */
export const nothing = { available: 1_000_000, held: 0 }

/** Each test has its own business, so that no other test changes its wallet and events. */
export async function openShop(server: Server) {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const transfer = async (reference: string) => (await get(`${TRANSFERS}/${reference}`)).body.data
  const send = async (more: object = {}) => {
    const account = { bankCode: '058', accountNumber: '0123456785' }
    const { status, body } = await post(TRANSFERS, { amount: 1_000, ...account, ...more })
    expect(status).toBe(201)
    return body.data.reference as string
  }
  const decide = (reference: string, verb: string) => post(`${TRANSFERS}/${reference}/${verb}`)
  const simulate = (reference: string, outcome: string) =>
    post('/api/simulator/transfer', { reference, outcome })
  const wallet = async () => {
    const { available, held } = (await get(`${USER}/wallet/balance`)).body.data[0]
    return { available, held }
  }
  const eventTypes = async () => {
    const { body } = await get(`${USER}/events?sort=ASC&limit=100`)
    return (body.data as { type: string }[]).map(({ type }) => type)
  }
  return { businessId, keys, post, transfer, send, decide, simulate, wallet, eventTypes }
}

/**
 * Returns functions that run the job that requests transfers, and that simulate the bank that makes
 * them.
 */
export function openBank({ db, clock, runJob }: Server) {
  /** Requests what is due, and lets the bank take its next step. */
  async function bankDay(): Promise<void> {
    await runJob('transfer-orders')
    clock.advance(1_000)
    await runJob('simulator')
  }
  /** Returns the attempts that have reached the bank. */
  const ordersOf = async (reference: string) => {
    const orders = await db.many<{ reference: string }>`
      select reference from simulator_orders
      where reference like ${`${sentReferenceOf(reference, 1)}%`} order by reference`
    return orders.map((order) => recordReferenceOf(order.reference))
  }
  return { bankDay, ordersOf }
}
