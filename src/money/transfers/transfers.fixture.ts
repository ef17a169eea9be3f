import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'

/* What the tests of payouts share. */

const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const USER = '/api/user-service/external/v1'

type Server = Awaited<ReturnType<typeof startServer>>

/** The wallet of a new business, of which nothing was sent. */
export const nothing = { available: 1_000_000, held: 0 }

/** A business of its own for each test, so that its wallet and events are its alone. */
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

/** The sweeper that orders transfers, and the bank that makes something of them. */
export function openBank({ db, clock, sweep }: Server) {
  /** Orders what is due, and lets the bank do what comes next. */
  async function bankDay(): Promise<void> {
    await sweep('transfer-orders')
    clock.advance(1_000)
    await sweep('simulator')
  }
  const ordersOf = (reference: string) =>
    db.many<{ reference: string }>`
      select reference from simulator_orders where reference like ${`${reference}%`}
      order by reference`
  return { bankDay, ordersOf }
}
