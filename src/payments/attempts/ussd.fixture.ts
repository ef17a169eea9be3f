import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'
import { makeSplitPage } from './attempts.fixture.ts'

export const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const EVENTS = '/api/user-service/external/v1/events'
const WALLET = '/api/user-service/external/v1/wallet/balance'

/** Each test has its own business, so that no other test changes its wallet and events. */
export async function openShop(server: Awaited<ReturnType<typeof startServer>>) {
  const { db } = server
  const { keys, businessId } = await server.newBusiness()
  const { get, post, put } = server.as(keys.testSecret)
  const tenant = { businessId, live: false }

  const splitPage = (shares: number[], page: Parameters<typeof makeSplitPage>[2] = {}) =>
    makeSplitPage(post, shares, page)
  const begin = async (body: object) => {
    const reply = await post(USSD, { channel: 'USSD', ...body })
    expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
    return reply.body.data as Begun
  }
  const row = (id: number) => db.one<Row>`
    select status, late, message, gateway_response, fee_minor, fee_bearer, payable_minor,
      order_id, customer_id, ip_address, location, bank_code, split_page_id, expires_at, created_at
    from transactions where id = ${id} and business_id = ${businessId}`
  const shares = (id: number) => db.many<{ amount_minor: bigint; fee_minor: bigint }>`
    select amount_minor, fee_minor from transaction_shares
    where transaction_id = ${id} and business_id = ${businessId} order by subaccount_id`
  const available = async () => (await get(WALLET)).body.data[0].availableMinor as number
  const balance = (subaccount: number) => db.maybe<{ balance_minor: bigint }>`
    select credits_minor - debits_minor as balance_minor from ledger_accounts
    where business_id = ${businessId} and kind = 'subaccount' and subject_id = ${subaccount}`
  const events = async () => {
    const { body } = await get(`${EVENTS}?sort=ASC&limit=100`)
    // biome-ignore lint/suspicious/noExplicitAny: as in the harness
    const all = body.data as { type: string; data: any }[]
    return all.filter(({ type }) => !/^(subaccount|split_page)\./.test(type))
  }
  const count = async () =>
    (
      await db.one<{ n: number }>`
        select count(*) as n from transactions where business_id = ${businessId}`
    ).n
  const calls = { splitPage, begin, row, shares, available, balance, events, count }
  return { keys, businessId, tenant, get, post, put, ...calls }
}

interface Begun {
  reference: string
  transactionId: number
  expiresAt: string
  ussdCode: string
  fees: number
}

interface Row {
  status: string
  late: boolean
  message: string | null
  gateway_response: string | null
  fee_minor: bigint
  fee_bearer: string
  payable_minor: bigint
  order_id: number | null
  customer_id: number | null
  ip_address: string | null
  location: string | null
  bank_code: string | null
  split_page_id: number | null
  expires_at: Date
  created_at: Date
}
