import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'

export const UTILITY = '/api/payment-service/external/v1/utility'
export const ENQUIRE = `${UTILITY}/transactions/customer-enquiry`
export const PROCESS = `${UTILITY}/transactions/process-payment`

export const PHONE = '08031234567'
export const AIRTIME = 'mtn-airtime-top-up'
/** Airtime for ₦500. */
export const TOP_UP = { customerId: PHONE, packageSlug: AIRTIME, amount: 500 }
/** A thousand naira for a prepaid meter. Each test adds its own meter number. */
export const METER = { packageSlug: 'ikedc-prepaid', amount: 1_000 }

/** The initial balance of a test wallet. */
export const BEGAN_WITH = 1_000_000

/** Each test has its own business, so that no other test changes its wallet and events. */
export async function shopOn(server: Awaited<ReturnType<typeof startServer>>) {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)

  const enquire = async (customerId = PHONE, packageSlug = AIRTIME) => {
    const { status, body } = await post(ENQUIRE, { customerId, packageSlug })
    expect([status, body.responseCode]).toEqual([200, '00'])
    return body.responseData
  }
  const buy = async (more: object = {}) => {
    const body = { ...TOP_UP, ...more }
    await enquire(body.customerId, body.packageSlug)
    return post(PROCESS, body)
  }
  const payment = async (reference: string) =>
    (await get(`${UTILITY}/transactions/${reference}`)).body
  const wallet = async () => {
    const { body } = await get('/api/user-service/external/v1/wallet/balance')
    const { available, held } = body.data[0]
    return { available, held }
  }
  const eventTypes = async () => {
    const rows = await server.db.many<{ type: string }>`
      select type from events where business_id = ${businessId} order by id`
    return rows.map(({ type }) => type)
  }
  /** Returns the orders that have reached the provider. */
  const orders = () =>
    server.db.many<{ reference: string; status: string }>`
      select o.reference, s.status
      from simulator_orders s join provider_orders o on o.business_id = s.business_id
        and o.live = s.live and o.sent_reference = s.reference
      where s.business_id = ${businessId} order by s.created_at, s.reference`
  const tenant = { businessId, live: false }
  return { businessId, tenant, keys, get, post, enquire, buy, payment, wallet, eventTypes, orders }
}
