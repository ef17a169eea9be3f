import { describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { balancesIn } from '../../money/wallet/wallet.fixture.ts'
import { cardShop, formTargetsOf } from './card.fixture.ts'

/* Card payments on the simulator's page. */

const server = await startServer({ jobs: false })
const { db } = server
const shop = () => cardShop(server)

const isSound = async () => expect(await findings(server)).toEqual([])

/** What the pages say. */
const CHECKING = 'Checking your payment'
const DECLINED = 'That payment didn’t go through'

describe('a payer who pays by card', () => {
  test('200 goes to the provider and comes back to a receipt', async () => {
    const { businessId, invoice, open, read, chooseCard, comeBack, payments, get } = await shop()
    const { reference, path } = await invoice(1_000)
    expect(formTargetsOf(await open(path))).toBe("'self' http://127.0.0.1")
    expect(await read(path)).toContain('id="pay-card"')

    const address = await chooseCard(path)
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1\/simulator\/pay\//)
    expect(await payments()).toMatchObject([
      { channel: 'CARD', status: 'Pending', payUrl: address },
    ])
    // The payer may have another tab.
    expect(await read(path)).toContain(`href="${address}"`)

    const page = await open(address)
    expect([page.status, formTargetsOf(page)]).toEqual([200, "'self' http://127.0.0.1"])
    expect(await page.text()).toContain('Pay ₦1,000.00')
    const paid = await open(address, { choice: 'pay' })
    const back = paid.headers.get('location')!
    expect([paid.status, back.split('?')[0]]).toEqual([303, `http://127.0.0.1${path}/returned`])
    expect(await comeBack(back)).toContain('Payment received. Thank you!')

    expect(await payments()).toMatchObject([
      { channel: 'CARD', status: 'Successful', payUrl: null, late: false },
    ])
    const invoices = `/api/payment-service/external/v1/invoices/${reference}`
    expect((await get(invoices)).body.data).toMatchObject({
      status: 'Paid',
      payments: [{ channel: 'CARD', amount: 1_000 }],
    })
    expect(await balancesIn(db, { businessId })).toEqual({
      'provider_clearing 1': 1_000_00,
      wallet_available: 985_00,
      fees: 15_00,
    })
    expect(await read(address)).toContain('This payment has ended')
    await isSound()
  })

  test('200 pays for a checkout in the same way', async () => {
    const { checkout, open, chooseCard, comeBack, payments, get } = await shop()
    const { reference, path, channels } = await checkout(2_500)
    expect(channels).toEqual(['BANK_TRANSFER', 'USSD', 'CARD'])
    const address = await chooseCard(path)
    const paid = await open(address, { choice: 'pay' })
    expect(await comeBack(paid.headers.get('location')!)).toContain('Payment received. Thank you!')
    expect(await payments()).toMatchObject([{ channel: 'CARD', status: 'Successful' }])
    const { body } = await get(`/api/payment-service/external/v1/initialize-checkout/${reference}`)
    expect(body.data).toMatchObject({ state: 'Paid', status: 'Successful' })
    await isSound()
  })

  test('200 names a refusal, and offers a new page to try again', async () => {
    const { invoice, open, chooseCard, comeBack, payments } = await shop()
    const { path } = await invoice(1_000)
    const first = await chooseCard(path)
    const declined = await open(first, { choice: 'decline' })
    const page = await comeBack(declined.headers.get('location')!)
    expect(page).toContain(DECLINED)
    expect(page).toContain('Declined by the bank')
    expect(page).toContain('id="pay-card"')

    const second = await chooseCard(path)
    expect(second).not.toBe(first)
    const paid = await open(second, { choice: 'pay' })
    expect(await comeBack(paid.headers.get('location')!)).toContain('Payment received')
    expect((await payments()).map(({ status }) => status)).toEqual(['Successful', 'Failed'])
    await isSound()
  })

  test.each([
    [100.01, 'Declined by the bank'],
    [100.02, 'Insufficient funds'],
  ])('200 is refused for the amount %s, whatever card it is', async (amount, says) => {
    const { invoice, open, chooseCard, comeBack, payments } = await shop()
    const { path } = await invoice(amount)
    const replied = await open(await chooseCard(path), { choice: 'pay' })
    expect(await comeBack(replied.headers.get('location')!)).toContain(DECLINED)
    expect(await payments()).toMatchObject([{ status: 'Failed', gatewayResponse: says }])
  })

  test('200 who gives up can go back, or pay another way', async () => {
    const { invoice, open, read, chooseCard, comeBack, payments } = await shop()
    const { path } = await invoice(1_000)
    const address = await chooseCard(path)
    const left = await open(address, { choice: 'leave' })
    const page = await comeBack(left.headers.get('location')!)
    expect(page).toContain(CHECKING)
    expect(page).toContain(`href="${address}"`)
    // Days later, without the note that the payer has come back.
    expect(await read(path)).not.toContain(CHECKING)
    expect(await chooseCard(path)).toBe(address)
    await open(`${path}/cancel-payment`, {})
    expect(await read(path)).toContain('id="pay-transfer"')
    expect(await chooseCard(path)).toBe(address)
    expect(await payments()).toMatchObject([{ status: 'Pending', payUrl: address }])
  })

  test('200 is told that a slow payment is being checked, until it is known', async () => {
    const { invoice, open, read, chooseCard, comeBack, payments } = await shop()
    const { path } = await invoice(1_000)
    const slow = await open(await chooseCard(path), { choice: 'slow' })
    expect(await comeBack(slow.headers.get('location')!)).toContain(CHECKING)
    const { version } = await (await open(`${path}/state`)).json()
    server.clock.advance(1_000)
    await server.runJob('simulator')
    expect(await (await open(`${path}/state`)).json()).not.toEqual({ version })
    expect(await read(`${path}?returned=1`)).toContain('Payment received')
    expect(await payments()).toMatchObject([{ status: 'Successful' }])
  })

  test('200 is believed in nothing that the address says', async () => {
    const { invoice, chooseCard, comeBack, payments } = await shop()
    const { path } = await invoice(1_000)
    await chooseCard(path)
    const lies = 'status=success&trxref=x&reference=x&tx_ref=x&transaction_id=1'
    expect(await comeBack(`${path}/returned?${lies}`)).toContain(CHECKING)
    expect(await payments()).toMatchObject([{ status: 'Pending' }])
  })

  test('200 twice, by card and by transfer, gets the second payment back', async () => {
    const { invoice, open, read, chooseCard, comeBack, payments, post } = await shop()
    const { path } = await invoice(1_000)
    const address = await chooseCard(path)
    await open(`${path}/pay`, { channel: 'BANK_TRANSFER' })
    const accountNumber = /\b99\d{8}\b/.exec(await read(path))![0]
    await post('/api/simulator/deposit', { accountNumber, amount: 1_000 })
    const paid = await open(address, { choice: 'pay' })
    expect(await comeBack(paid.headers.get('location')!)).toContain('more than was due')
    expect(await payments()).toMatchObject([
      { channel: 'BANK_TRANSFER', status: 'Successful', overpaidAmount: 0 },
      { channel: 'CARD', status: 'Successful', overpaidAmount: 1_000 },
    ])
    await isSound()
  })

  test('200 late, on a page that is still open, pays', async () => {
    const { invoice, open, read, chooseCard, comeBack, payments } = await shop()
    const { path } = await invoice(1_000)
    const address = await chooseCard(path)
    server.clock.advance(31 * 60_000)
    await server.runJob('transaction-expiry')
    expect(await read(path)).toContain('If you’ve been charged, please don’t pay again')
    const paid = await open(address, { choice: 'pay' })
    expect(await comeBack(paid.headers.get('location')!)).toContain('Payment received')
    expect(await payments()).toMatchObject([{ status: 'Successful', late: true }])
    await isSound()
  })

  test('200 in parts comes back from either page', async () => {
    const { invoice, open, chooseCard, comeBack, payments } = await shop()
    const { path } = await invoice(1_000, { allowPartialPayment: true })
    const first = await chooseCard(path, { amount: '400' })
    const second = await chooseCard(path, { amount: '600' })
    expect(second).not.toBe(first)
    for (const address of [first, second]) {
      const paid = await open(address, { choice: 'pay' })
      await comeBack(paid.headers.get('location')!)
    }
    expect((await payments()).map(({ status }) => status)).toEqual(['Successful', 'Successful'])
    await isSound()
  })

  test('200 sees the page in their language', async () => {
    const { invoice, chooseCard } = await shop()
    const { path } = await invoice(1_000)
    const address = await chooseCard(path)
    const headers = { 'accept-language': 'fr' }
    const { pathname } = new URL(address)
    const page = await fetch(server.url + pathname, { headers })
    expect(await page.text()).toContain('Page de carte simulée')
  })
})

test('200 the simulator pays or declines without its page, once', async () => {
  const { invoice, chooseCard, payments, post } = await shop()
  for (const outcome of ['success', 'failed']) {
    const { path } = await invoice(1_000)
    await chooseCard(path)
    const [{ reference } = { reference: '' }] = await payments()
    const status = outcome === 'success' ? 'Successful' : 'Failed'
    const decided = await post('/api/simulator/card', { reference, outcome })
    expect([decided.status, decided.body.data]).toEqual([200, { reference, status }])
    const again = await post('/api/simulator/card', { reference, outcome })
    expect(again.status).toBe(409)
    const wrong = await post('/api/simulator/ussd', { reference, outcome })
    expect(wrong.status).toBe(404)
  }
  await isSound()
})

test('404 for a card page that does not exist; 303 without a choice', async () => {
  const { invoice, open, chooseCard } = await shop()
  const address = await chooseCard((await invoice(1_000)).path)
  expect((await open(`${address}x`)).status).toBe(404)
  expect(
    (await open('/simulator/pay/1-trf-aaaaaaaaaaaaaaaaaaaaaaaa', { choice: 'pay' })).status,
  ).toBe(404)
  const { pathname } = new URL(address)
  const reply = await open(address, { choice: 'steal' })
  expect([reply.status, reply.headers.get('location')]).toEqual([303, pathname])
})

test('409 a channel that the checkout does not offer', async () => {
  const { checkout, open, read } = await shop()
  const { path } = await checkout(1_000, { channels: ['USSD'] })
  expect(await read(path)).not.toContain('id="pay-card"')
  expect(formTargetsOf(await open(path))).toBe("'self'")
  expect((await open(`${path}/pay`, { channel: 'CARD' })).status).toBe(409)
})
