import { afterEach, describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { goods, openShop, payer } from './checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { url, clock, runJob } = server
const { choose, view } = payer(server)

afterEach(async () => {
  expect(await findings(server)).toEqual([])
})

const MINUTE_MS = 60_000

/** The page as a browser shows it: `Reserved until 14:05`. */
async function look(accessCode: string, language = 'en') {
  const headers = { 'accept-language': language }
  const html = await (await fetch(`${url}/checkout/${accessCode}`, { headers })).text()
  const [, standing] = /<p class="standing">.*?<span class="soft">(.*?)<\/span>/s.exec(html) ?? []
  return { html, standing }
}

const versionOf = async (accessCode: string): Promise<string> =>
  (await (await fetch(`${url}/checkout/${accessCode}/state`)).json()).version

describe('reservation and payment deadlines', () => {
  test('200 says until when goods are reserved, and then until when to pay', async () => {
    const shop = await openShop(server)
    const { products } = await goods(shop)
    const { accessCode, id } = await shop.begun({ products })
    const keptUntil = async () => (await view(accessCode)).keptUntil
    const { expires_at } = await server.db.one<{ expires_at: Date }>`
      select expires_at from stock_reservations where cause_id = ${id}`
    expect(await keptUntil()).toEqual(expires_at)
    const first = await look(accessCode)
    expect(first.standing).toMatch(/^Reserved until /)
    const before = await versionOf(accessCode)

    clock.advance(16 * MINUTE_MS)
    await runJob('stock-expiry')
    expect((await look(accessCode)).standing).toMatch(/^Pay by /)
    expect(await versionOf(accessCode)).not.toBe(before)

    await choose({ id, accessCode }, 'USSD')
    const again = await look(accessCode)
    expect(again.standing).toMatch(/^Reserved until /)
    expect(again.standing).not.toBe(first.standing)
  })

  test.each([
    ['en', 'Pay by'],
    ['fr', 'À payer avant'],
    ['ha', 'A biya kafin'],
    ['ig', 'Kwụọ ya tupu'],
    ['yo', 'Ẹ san án kí aago'],
  ])('200 in %s reserves nothing if no goods are bought', async (language, words) => {
    const shop = await openShop(server)
    const { accessCode } = await shop.begun({ amount: 1000 })
    expect((await look(accessCode, language)).standing).toContain(words)
  })
})

describe('money that was sent back', () => {
  test('200 is mentioned while the payer looks at the page', async () => {
    const shop = await openShop(server)
    const { accessCode, reference } = await shop.begun({ amount: 1000 })
    const { accountNumber } = (await shop.account(reference)).body.data
    const before = await versionOf(accessCode)
    expect(await shop.deposit(accountNumber, 999)).toMatchObject({ accepted: false })
    expect(await versionOf(accessCode)).not.toBe(before)
    const { html } = await look(accessCode)
    expect(html).toContain('<h2>We returned the ₦999.00 you sent.</h2>')
    expect(html).toContain('data-announce="We returned the ₦999.00 you sent."')
    await shop.deposit(accountNumber, 1001)
    expect((await look(accessCode)).html).toContain('We returned the ₦2,000.00 you sent')
    await shop.deposit(accountNumber, 1000)
    expect(await view(accessCode)).toMatchObject({ status: 'Paid' })
  })

  test('200 mentions nothing that arrived for another checkout', async () => {
    const shop = await openShop(server)
    const [one, other] = [await shop.begun({ amount: 1000 }), await shop.begun({ amount: 1000 })]
    expect(await shop.paid(one.reference, 999)).toMatchObject({ accepted: false })
    expect((await look(other.accessCode)).html).not.toContain('We returned')
  })
})

describe('the total', () => {
  const row = (name: string, amount: string) =>
    `<div class="sum"><dt>${name}</dt><dd>${amount}</dd></div>`

  test('200 looks like a total', async () => {
    const shop = await openShop(server)
    const { accessCode } = await shop.begun({ amount: 1000 })
    expect((await look(accessCode)).html).toContain(row('Total', '₦1,000.00'))
  })

  test('200 is at the bottom, after the fee on top, before and after payment', async () => {
    const shop = await openShop(server)
    const begun = await shop.begun({ amount: 10_000, feeBearer: 'customer' })
    const { accessCode } = begun
    await choose(begun, 'BANK_TRANSFER')
    const { html } = await look(accessCode)
    expect(html).toContain('<dt>Fee</dt><dd>₦250.00</dd>')
    expect(html).toContain(row('Amount due', '₦10,250.00'))
    expect(html).not.toContain(row('Total', '₦10,000.00'))
    await shop.paid(begun.reference)
    expect((await look(accessCode)).html).toContain(row('Amount paid', '₦10,250.00'))
  })
})
