import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'
import type { Db } from '../../db/database.ts'

export const INVOICES = '/api/payment-service/external/v1/invoices'
const WALLET = '/api/user-service/external/v1/wallet/balance'
export const EVENTS = '/api/user-service/external/v1/events'

/** Opens a new business, so that no other test affects its wallet and events. */
export async function openShop(server: Awaited<ReturnType<typeof startServer>>) {
  const { url } = server
  const { keys } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const page = (token: string, path = '', form?: Record<string, string>) =>
    fetch(`${url}/i/${token}${path}`, {
      redirect: 'manual',
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
  const invoice = async (amount: number, more: object = {}) => {
    const { body } = await post(INVOICES, { customerEmail: 'ada@example.com', amount, ...more })
    const token = new URL(body.data.hostedUrl).pathname.split('/')[2]!
    return { ...body.data, token } as { reference: string; token: string; id: number }
  }
  const account = async (token: string) => {
    expect((await page(token, '/pay', { channel: 'BANK_TRANSFER' })).status).toBe(303)
    const html = await (await page(token)).text()
    return /\b99\d{8}\b/.exec(html)![0]
  }
  const available = async () => (await get(WALLET)).body.data[0].available as number
  const eventTypes = async () => {
    const { body } = await get(`${EVENTS}?sort=ASC&limit=100`)
    return (body.data as { type: string }[]).map(({ type }) => type)
  }
  const deposit = (accountNumber: string, amount: number) =>
    post('/api/simulator/deposit', { accountNumber, amount })
  const current = async (reference: string) => (await get(`${INVOICES}/${reference}`)).body.data
  return { keys, get, post, page, invoice, account, available, eventTypes, deposit, current }
}

/** Sets instructions for paying the business directly, in test mode, as its owner would. */
export async function letPayDirectly(db: Db, businessId: number): Promise<void> {
  const account = { bankName: 'Zenith Bank', accountNumber: '0123456789', accountName: 'Ada Obi' }
  const manual = JSON.stringify({ ...account, instructions: null })
  const changed = await db.run`
    update business_settings set manual_payment = ${manual}
    where business_id = ${businessId} and not live`
  expect(changed).toBe(1)
}
