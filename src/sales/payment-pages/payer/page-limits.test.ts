import { describe, expect, test } from 'vitest'
import { findings } from '../../../../test/corruption/findings.ts'
import { sessionsWaiting, startServer } from '../../../../test/harness.ts'
import { openShop } from '../../checkout/checkout.fixture.ts'

// Page views are limited here only by the limits per page and link, not by RATE_LIMIT.
const server = await startServer({ rateLimit: 1_000, trustProxy: ['127.0.0.1'] })
let made = 0

const as = (ip: string) => ({ 'x-forwarded-for': ip })
async function send(path: string, form: Record<string, string>, ip = '203.0.113.1') {
  const body = new URLSearchParams(form)
  const init = { method: 'POST', body, redirect: 'manual', headers: as(ip) } as const
  const response = await fetch(server.url + path, init)
  const html = await response.text()
  return { status: response.status, to: response.headers.get('location') ?? '', html }
}
const FORM = { email: 'ada@example.com', address: '1 Allen Avenue' }

async function open(product: Record<string, unknown>, page: Record<string, unknown> = {}) {
  const shop = await openShop(server)
  const productId = await shop.product(product)
  const link = `limits-${++made}`
  const content = { customLink: link, amountType: 'variable', amount: undefined, ...page }
  await shop.page({ ...content, productIds: productId })
  return { shop, productId, path: `/pay/${link}`, count: `q-${productId}` }
}

describe('stock that anonymous payers reserve', () => {
  test('303 at once: at most five of a network reserve stock; the rest take it when paid', async () => {
    const { shop, productId, path, count } = await open({ quantity: 1_000 })
    const many = Array.from({ length: 12 }, (_, i) =>
      send(path, { ...FORM, [count]: '400', once: `${i}`.padStart(22, 'o') }),
    )
    const sent = await Promise.all(many)
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([303]))
    // 5 % of 1,000 units, five times.
    expect(await shop.stock(productId)).toMatchObject({ reserved: 250, available: 750 })
    const other = await send(path, { ...FORM, [count]: '7' }, '198.51.100.7')
    expect(other.status).toBe(303)
    expect(await shop.stock(productId)).toMatchObject({ reserved: 257 })

    // Choosing a way to pay reserves nothing more, even after the reservations were released.
    server.clock.advance(16 * 60_000)
    await server.runJob('stock-expiry')
    // It skips what the server's own run has locked and not released yet.
    await expect.poll(() => shop.stock(productId)).toMatchObject({ reserved: 0 })
    for (const { to } of sent) await send(`${to}/pay`, { channel: 'BANK_TRANSFER' })
    expect(await shop.stock(productId)).toMatchObject({ reserved: 250 })

    // Two orders of 400 are paid; the third finds too little left and is refunded. Without a
    // reservation, the second would find too little, because 250 units are reserved for others.
    const reserving = await server.db.many<{ secret: string }>`
      select secret from checkouts where business_id = ${shop.businessId} and payer_reserves`
    const paying = sent.filter(({ to }) => reserving.some(({ secret }) => to.includes(secret)))
    expect(paying).toHaveLength(5)
    for (const { to } of paying.slice(0, 3)) await send(`${to}/simulate`, { outcome: 'success' })
    const { onHand, sold } = await shop.stock(productId)
    expect([onHand, sold]).toEqual([200, 800])
    expect(await findings(server)).toEqual([])
  })

  test('303 a changed checkout locks nothing before it counts those of its network', async () => {
    const { shop, path, count } = await open({ quantity: 9 })
    const { to } = await send(path, { ...FORM, [count]: '1' })
    const form = { ...FORM, [count]: '2', from: to.split('/').at(-1)! }
    const { unlocked, changed } = await server.db.transaction(async (tx) => {
      await tx.run`
        select pg_advisory_xact_lock(hashtextextended(page_id || ' ' || payer_network, 0))
        from checkouts where business_id = ${shop.businessId}`
      const changed = send(path, form)
      await expect.poll(() => sessionsWaiting(server.name)).toBeGreaterThan(0)
      const unlocked = await tx.many`
        select id from checkouts where business_id = ${shop.businessId} for update skip locked`
      return { unlocked, changed }
    })
    expect(unlocked).toHaveLength(1)
    expect((await changed).status).toBe(303)
  })

  test('303 reserves all of an ordinary order', async () => {
    const { shop, productId, path, count } = await open({ quantity: 12 })
    expect((await send(path, { ...FORM, [count]: '10' })).status).toBe(303)
    expect(await shop.stock(productId)).toMatchObject({ reserved: 10, available: 2 })
  })
})

describe('places and code uses that anonymous payers reserve', () => {
  test('303 at once: five open ones of a network reserve them; other networks find the rest', async () => {
    const limits = { maxPayments: 8, allowDiscountCodes: true }
    const { shop, path, count } = await open({ quantity: 1_000, price: 1_000 }, limits)
    await shop.discount({ code: 'EIGHT', maxUses: 8 })
    const form = { ...FORM, [count]: '1', discountCode: 'EIGHT' }
    const begin = (i: number, ip?: string) =>
      send(path, { ...form, once: `${i}`.padStart(22, 'p') }, ip)
    const sent = await Promise.all(Array.from({ length: 9 }, (_, i) => begin(i)))
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([303]))
    // Choosing a way to pay reserves nothing more.
    for (const { to } of sent) await send(`${to}/pay`, { channel: 'BANK_TRANSFER' })
    const others = [await begin(20, '198.51.100.9'), await begin(21, '198.51.100.10')]
    expect(others.map(({ status }) => status)).toEqual([303, 303])
    expect(await findings(server)).toEqual([])

    // Seven places and uses are reserved; of the four without a reservation, one gets the eighth.
    for (const { to } of others) await send(`${to}/pay`, { channel: 'BANK_TRANSFER' })
    for (const { to } of [...sent, ...others]) await send(`${to}/simulate`, { outcome: 'success' })
    const paid = await server.db.many`
      select from checkouts where business_id = ${shop.businessId} and status = 'Paid'`
    expect(paid).toHaveLength(8)
    expect(await findings(server)).toEqual([])
  })

  test('303 a checkout without reservations ends without releasing anything', async () => {
    const { path, count } = await open({ quantity: 100 }, { maxPayments: 20 })
    const form = { ...FORM, [count]: '1' }
    const sent = await Promise.all(
      Array.from({ length: 7 }, (_, i) => send(path, { ...form, once: `${i}`.padStart(22, 'e') })),
    )
    for (const { to } of sent) await send(`${to}/cancel-payment`, {})
    expect(await findings(server)).toEqual([])
    server.clock.advance(60 * 60_000)
    await server.runJob('checkout-expiry')
    expect(await findings(server)).toEqual([])
  })
})

describe('discount codes', () => {
  test('400 for more than ten wrong ones an hour, at once; a right one is not counted', async () => {
    const { shop, path, count } = await open({ quantity: 500 }, { allowDiscountCodes: true })
    await shop.discount({ code: 'RIGHT' })
    const form = { ...FORM, [count]: '1' }
    for (let i = 0; i < 12; i++) {
      const { html } = await send(path, { ...form, discountCode: 'right', do: 'apply' })
      expect(html).toContain('RIGHT has been applied')
    }
    const wrong = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        send(path, { ...form, discountCode: `SAVE${i}`, ...(i % 2 && { do: 'apply' }) }),
      ),
    )
    const told = (words: string) => wrong.filter(({ html }) => html.includes(words)).length
    expect([told('isn’t valid here'), told('Too many invalid codes')]).toEqual([10, 20])
    // The shop is still open to them without a code, and to others with a code.
    expect((await send(path, form)).status).toBe(303)
    const elsewhere = await send(path, { ...form, discountCode: 'RIGHT' }, '198.51.100.8')
    expect(elsewhere.status).toBe(303)
    server.clock.advance(3_600_000)
    const later = await send(path, { ...form, discountCode: 'RIGHT', do: 'apply' })
    expect(later.html).toContain('RIGHT has been applied')
  })
})

describe('rate limits', () => {
  test('429 after 60 requests a minute for one page and network', async () => {
    const { path } = await open({})
    const look = (ip: string) => fetch(server.url + path, { headers: as(ip) })
    const looks = await Promise.all(Array.from({ length: 300 }, () => look('203.0.113.2')))
    const passed = looks.filter(({ status }) => status === 200).length
    expect(looks.every(({ status }) => status === 200 || status === 429)).toBe(true)
    // One more request is allowed each second, and the machine may be slow.
    expect(passed).toBeGreaterThanOrEqual(60)
    expect(passed).toBeLessThan(300)
    expect((await look('203.0.113.3')).status).toBe(200)
    server.clock.advance(60_000)
    expect((await look('203.0.113.2')).status).toBe(200)
  })

  test('429 after 60 forms for one link, from any network', async () => {
    const { path, count } = await open({})
    const { to } = await send(path, { ...FORM, [count]: '1' }, '203.0.113.4')
    const all = Array.from({ length: 200 }, (_, i) =>
      send(`${to}/cancel-payment`, {}, `203.0.113.${i}`),
    )
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    const passed = statuses.filter((status) => status === 303).length
    expect(passed).toBeGreaterThanOrEqual(60)
    expect(statuses.filter((status) => status === 429)).toHaveLength(200 - passed)
    expect(passed).toBeLessThan(200)
  })
})

describe('mails for free orders', () => {
  test('303 at once: at most three an hour reach one email address', async () => {
    const { path, count } = await open({ price: 0, type: 'digital' })
    const free = (i: number) =>
      send(path, { email: 'Victim@example.com', [count]: '1', once: `${i}`.padStart(22, 'm') })
    await Promise.all(Array.from({ length: 20 }, (_, i) => free(i)))
    const mails = () =>
      server.db.many`select from mails where lower(to_address) = 'victim@example.com'`
    expect(await mails()).toHaveLength(3)
    server.clock.advance(3_600_000)
    expect((await free(99)).status).toBe(303)
    expect(await mails()).toHaveLength(4)
  })

  test('303 counts by the server’s clock, even if a business moved its test clock', async () => {
    const ahead = await open({ price: 0, type: 'digital' })
    const { path, count } = await open({ price: 0, type: 'digital' })
    const advanced = await ahead.shop.post('/api/simulator/clock', { advanceSeconds: 9 * 86_400 })
    expect(advanced.status).toBe(200)
    const to = 'ngozi@example.com'
    const free = (at: string, field: string, i: number) =>
      send(at, { email: to, [field]: '1', once: `${i}`.padStart(22, 'c') })
    for (let i = 0; i < 4; i++) await free(ahead.path, ahead.count, i)
    const mails = () => server.db.many`select from mails where to_address = ${to}`
    expect(await mails()).toHaveLength(3)
    server.clock.advance(3_600_000)
    expect((await free(path, count, 4)).status).toBe(303)
    expect(await mails()).toHaveLength(4)
  })
})
