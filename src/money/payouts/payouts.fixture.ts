import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'

const USER = '/api/user-service/external/v1'
export const PAYOUTS = `${USER}/wallet/payouts`
export const SETTINGS = `${USER}/profile/settings`
export const NEXT = `${PAYOUTS}/next`

type Server = Awaited<ReturnType<typeof startServer>>

interface ShopOptions {
  /** The business's own account at bank 058; null for none. */
  accountNumber?: string | null
  settings?: object
}

/** Opens a business with a settlement account and 1,000,000.00 in its test wallet. */
export async function openShop(
  server: Server,
  { accountNumber = '0123456785', settings = {} }: ShopOptions = {},
) {
  const { clock, db, runJob } = server
  const { businessId, keys } = await server.newBusiness()
  const { get, post, put } = server.as(keys.testSecret)
  const set = async (change: object) => {
    const { status, body } = await put(SETTINGS, change)
    expect([status, body.errors]).toEqual([200, undefined])
    return body.data
  }
  const settlementAccount = accountNumber && { bankCode: '058', accountNumber }
  await set({ settlementAccount, ...settings })
  const payOut = (body: object = {}) => post(PAYOUTS, body)
  const payout = async (reference: string) => (await get(`${PAYOUTS}/${reference}`)).body.data
  // biome-ignore lint/suspicious/noExplicitAny: as in the harness
  const list = async (): Promise<any[]> => (await get(`${PAYOUTS}?sort=ASC`)).body.data
  const next = async (query = '') => (await get(`${NEXT}${query}`)).body.data
  const wallet = async () => {
    const { available, held } = (await get(`${USER}/wallet/balance`)).body.data[0]
    return { available, held }
  }
  const eventTypes = async () => {
    const { body } = await get(`${USER}/events?sort=ASC&limit=100`)
    return (body.data as { type: string }[]).map(({ type }) => type)
  }
  const fund = (amount: number) => post('/api/simulator/wallet', { amount })
  /** Requests due payouts, and lets the bank take its next step. */
  const bank = async () => {
    await runJob('transfer-orders')
    clock.advance(1_000)
    await runJob('simulator')
  }
  /** Makes the payout of the schedule due now, and runs the job. */
  const comeDue = async () => {
    const now = clock.now()
    await db.run`
      update business_settings set payout_at = ${now}
      where business_id = ${businessId} and payout_schedule <> 'manual'`
    await runJob('payouts')
  }
  return {
    businessId,
    keys,
    get,
    post,
    put,
    set,
    payOut,
    payout,
    list,
    next,
    wallet,
    eventTypes,
    fund,
    bank,
    comeDue,
  }
}
