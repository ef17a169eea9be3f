import { describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { asOwner, startServer } from '../../../test/harness.ts'
import { EVENTS, INVOICES, openShop } from './invoices.fixture.ts'

/** What the provider waits for before it responds. */
let asked: Promise<void> | undefined
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({
    simulator: {
      ...simulator,
      async openVirtualAccount(about, order) {
        await asked
        return simulator.openVirtualAccount(about, order)
      },
    },
  }),
})
const { db, url } = server

const isSound = async () => expect(await findings(server)).toEqual([])
const shop = () => openShop(server)

describe('paying an invoice', () => {
  test('200 by bank transfer, from the request to the money in the wallet', async () => {
    const { page, invoice, account, available, eventTypes, deposit, current } = await shop()
    const before = await available()
    const { reference, token } = await invoice(10_000)
    await page(token)
    const number = await account(token)

    const { status, body } = await deposit(number, 10_000)
    expect([status, body.data.accepted, body.data.reason]).toEqual([200, true, null])

    const paid = await current(reference)
    expect(paid).toMatchObject({ status: 'Paid', amountPaid: 10_000, amountDue: 0 })
    expect(paid.payments).toMatchObject([
      { channel: 'BANK_TRANSFER', amount: 10_000, overpaidAmount: 0, kind: 'payment' },
    ])
    // 1.5 % and ₦100: 150 + 100.
    expect(await available()).toBe(before + 10_000 - 250)
    expect(await eventTypes()).toEqual([
      'invoice.created',
      'invoice.sent',
      'invoice.viewed',
      'transaction.pending',
      'virtual_account.created',
      'transaction.successful',
      'invoice.paid',
      'wallet.funded',
    ])
    await isSound()
  })

  test('200 by USSD, settled by the simulator', async () => {
    const { page, invoice, available, current } = await shop()
    const before = await available()
    const { reference, token } = await invoice(2_000)
    await page(token, '/pay', { channel: 'USSD', bankCode: '058' })
    expect(await (await page(token)).text()).toMatch(/\*737\*000\*\d{5}#/)
    server.clock.advance(1_000)
    await server.runJob('simulator')

    expect(await current(reference)).toMatchObject({ status: 'Paid' })
    // The ₦100 is waived below ₦2,500.
    expect(await available()).toBe(before + 2_000 - 30)
    await isSound()
  })

  test.each([
    [100.01, 'Failed', 'Declined'],
    [100.02, 'Failed', 'Insufficient'],
  ])('200 a USSD payment of %s fails and can be tried again', async (amount, status, says) => {
    const { keys, page, invoice, current } = await shop()
    const { reference, token } = await invoice(amount)
    await page(token, '/pay', { channel: 'USSD' })
    server.clock.advance(1_000)
    await server.runJob('simulator')

    expect(await current(reference)).toMatchObject({ status: 'Sent' })
    const row = await db.one<{ status: string; gateway_response: string }>`
      select status, gateway_response from transactions where invoice_reference = ${reference}`
    expect(row.status).toBe(status)
    expect(row.gateway_response).toContain(says)
    await page(token, '/pay', { channel: 'BANK_TRANSFER' })
    expect(await (await page(token)).text()).toMatch(/\b99\d{8}\b/)
    expect(keys.testSecret).toBeTruthy()
  })

  test('200 stays pending after a time-out, ends abandoned, and counts a late success once', async () => {
    const { page, invoice, current, available } = await shop()
    const before = await available()
    const { reference, token } = await invoice(300.03)
    await page(token, '/pay', { channel: 'USSD' })
    const status = async () =>
      (
        await db.one<{ status: string }>`
          select status from transactions where invoice_reference = ${reference}`
      ).status

    // The provider is asked but does not respond, so nothing is decided.
    await db.run`update provider_orders set next_at = ${server.clock.now()}
      where reference = (select reference from transactions where invoice_reference = ${reference})`
    await db.run`update simulator_orders
      set due_at = due_at + interval '1 hour', silent_until = silent_until + interval '1 hour'
      where reference = (select sent_reference from provider_orders
        join transactions using (business_id, live, reference)
        where invoice_reference = ${reference})`
    await server.runJob('charge-orders')
    expect(await status()).toBe('Pending')

    server.clock.advance(11 * 60_000)
    await server.runJob('transaction-expiry')
    expect(await status()).toBe('Abandoned')

    server.clock.advance(60 * 60_000)
    await server.runJob('simulator')
    expect(await status()).toBe('Successful')
    const row = await db.one`select late from transactions where invoice_reference = ${reference}`
    expect(row).toEqual({ late: true })
    expect(await current(reference)).toMatchObject({ status: 'Paid' })

    await db.run`update simulator_orders set notify = true`
    await server.runJob('simulator')
    expect(await available()).toBeCloseTo(before + 300.03 - 4.5, 5)
    await isSound()
  })

  test('200 rejects underpayments, overpayments and second payments, and keeps the account open', async () => {
    const { get, invoice, account, deposit, eventTypes, current } = await shop()
    const { reference, token } = await invoice(500)
    const number = await account(token)

    const low = (await deposit(number, 499.99)).body.data
    expect(low.reason).toBe('amount_too_low')
    const [rejected] = (await get(`${EVENTS}?sort=DESC&limit=1`)).body.data
    expect([rejected.type, rejected.data]).toEqual([
      'bank.transfer.rejected',
      expect.objectContaining({
        receivedAmount: 499.99,
        receivedAmountMinor: 49_999,
        reason: 'amount_too_low',
        depositReference: low.reference,
        sender: expect.objectContaining({ accountName: 'ADA OBI' }),
      }),
    ])
    expect((await deposit(number, 500.01)).body.data.reason).toBe('amount_too_high')
    expect((await deposit(number, 500)).body.data.accepted).toBe(true)
    expect((await deposit(number, 500)).body.data.reason).toBe('already_paid')
    expect((await current(reference)).payments).toHaveLength(1)
    const types = await eventTypes()
    expect(types.filter((type) => type === 'bank.transfer.rejected')).toHaveLength(3)
    expect(
      await db.one`select count(*) as n from deposits where account_number = ${number}`,
    ).toEqual({ n: 4 })
    await isSound()
  })

  test('200 rejects deposits after the account expired', async () => {
    const { post, invoice, account, deposit, current } = await shop()
    const { reference, token } = await invoice(500)
    const number = await account(token)
    await post('/api/simulator/clock', { advanceSeconds: 31 * 60 })

    expect((await deposit(number, 500)).body.data.reason).toBe('account_expired')
    await server.runJob('transaction-expiry')
    expect((await deposit(number, 500)).body.data.reason).toBe('account_expired')
    expect(await current(reference)).toMatchObject({ status: 'Sent' })
  })

  test('404 for a deposit into an unknown account or another business’s', async () => {
    const [one, other] = [await shop(), await shop()]
    const { token } = await one.invoice(500)
    const number = await one.account(token)
    expect((await other.deposit(number, 500)).status).toBe(404)
    expect((await other.deposit('9912345678', 500)).status).toBe(404)
  })

  test('200 keeps a second payment as an overpayment, owed back in full', async () => {
    const { page, invoice, account, available, deposit, current } = await shop()
    const { reference, token } = await invoice(5_000)
    const number = await account(token)
    await page(token, '/cancel-payment', {})
    await page(token, '/pay', { channel: 'USSD' })
    server.clock.advance(1_000)
    await server.runJob('simulator')
    const before = await available()

    expect((await deposit(number, 5_000)).body.data.accepted).toBe(true)
    const { status, amountPaid, payments } = await current(reference)
    expect([status, amountPaid]).toEqual(['Paid', 5_000])
    expect(payments.map(({ kind }: { kind: string }) => kind)).toEqual(['payment', 'overpayment'])
    expect(await available()).toBe(before)
    const { rows } = await asOwner(server.name, (client) =>
      client.query(
        `select a.credits_minor - a.debits_minor as owed from ledger_accounts a join invoices i
          using (business_id, live) where i.reference = $1 and a.kind = 'refunds'`,
        [reference],
      ),
    )
    expect(rows).toEqual([{ owed: '500000' }])
    await isSound()
  })

  test('200 settles once when two payments and the expiry arrive at once', async () => {
    const { page, invoice, account, available, deposit, current } = await shop()
    const before = await available()
    for (let round = 0; round < 10; round++) {
      const { reference, token } = await invoice(1_000)
      const number = await account(token)
      await page(token, '/pay', { channel: 'USSD' })
      await Promise.all([
        deposit(number, 1_000),
        deposit(number, 1_000),
        page(token, '/simulate', { outcome: 'success' }),
        page(token, '/simulate', { outcome: 'success' }),
        deposit(number, 1_000),
      ])
      const { status, amountPaid, payments } = await current(reference)
      expect([status, amountPaid]).toEqual(['Paid', 1_000])
      expect(payments.filter(({ kind }: { kind: string }) => kind === 'payment')).toHaveLength(1)
    }
    expect(await available()).toBe(before + 10 * (1_000 - 15))
    await isSound()
  })

  test('303 returns the open account again, even to ten requests at once', async () => {
    const { page, invoice } = await shop()
    const { token, reference } = await invoice(700)
    const pay = () => page(token, '/pay', { channel: 'BANK_TRANSFER' })
    const answers = await Promise.all(Array.from({ length: 10 }, pay))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(303))
    await pay()
    expect(
      await db.one`select count(*) as n from transactions where invoice_reference = ${reference}`,
    ).toEqual({ n: 1 })
    expect(
      await db.one`select count(*) as n from virtual_accounts v join transactions t
      on t.business_id = v.business_id and t.id = v.transaction_id
      where t.invoice_reference = ${reference}`,
    ).toEqual({ n: 1 })
  })

  test('409 as a page for paying a void invoice', async () => {
    const { page, invoice, post } = await shop()
    const { token, reference } = await invoice(700)
    await post(`${INVOICES}/${reference}/void`)
    const answer = await page(token, '/pay', { channel: 'USSD' })
    expect(answer.status).toBe(409)
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect((await page(token)).status).toBe(200)
  })

  test('200 sends back payments that arrive after the invoice was voided', async () => {
    const { invoice, account, deposit, post, eventTypes } = await shop()
    const { token, reference } = await invoice(700)
    const number = await account(token)
    await post(`${INVOICES}/${reference}/void`)
    expect((await deposit(number, 700)).body.data).toMatchObject({
      accepted: false,
      reason: 'account_expired',
    })
    expect(await eventTypes()).toContain('transaction.abandoned')
    await isSound()
  })

  test('200 has one winner each time an invoice is voided and paid at once', async () => {
    const { invoice, account, deposit, post, current } = await shop()
    for (let round = 0; round < 10; round++) {
      const { token, reference } = await invoice(700)
      const number = await account(token)
      const [voided, paid] = await Promise.all([
        post(`${INVOICES}/${reference}/void`),
        deposit(number, 700),
      ])
      expect(voided.status === 200).toBe(!paid.body.data.accepted)
      expect((await current(reference)).status).toBe(voided.status === 200 ? 'Void' : 'Paid')
    }
    await isSound()
  })

  test('200 voids while the provider is asked: the account it returns is not open', async () => {
    const { page, invoice, post } = await shop()
    const { reference, token } = await invoice(700)
    const held = Promise.withResolvers<void>()
    asked = held.promise
    const paying = page(token, '/pay', { channel: 'BANK_TRANSFER' })
    const begun = () => db.maybe`select id from transactions where invoice_reference = ${reference}`
    while (!(await begun()));
    expect((await post(`${INVOICES}/${reference}/void`)).status).toBe(200)
    held.resolve()
    expect((await paying).status).toBe(303)
    expect(
      await db.one`select v.status, t.status as of from virtual_accounts v join transactions t
        on t.id = v.transaction_id where t.invoice_reference = ${reference}`,
    ).toEqual({ status: 'Expired', of: 'Abandoned' })
    await isSound()
  })

  test('503 in live mode, where no provider is configured', async () => {
    const { keys } = await shop()
    const live = server.as(keys.liveSecret)
    const { body } = await live.post(INVOICES, { customerEmail: 'a@b.co', amount: 10 })
    const path = new URL(body.data.hostedUrl).pathname
    expect((await fetch(url + path)).status).toBe(200)
    const paid = await fetch(`${url}${path}/pay`, {
      method: 'POST',
      body: new URLSearchParams({ channel: 'USSD' }),
    })
    expect(paid.status).toBe(503)
    expect((await live.post('/api/simulator/wallet', { amount: 5 })).status).toBe(400)
    const simulated = await fetch(`${url}${path}/simulate`, { method: 'POST' })
    expect(simulated.status).toBe(404)
  })

  test('303 to the page when someone reloads the URL of a form', async () => {
    const { page, invoice } = await shop()
    const { token } = await invoice(700)
    const answer = await page(token, '/pay')
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `/i/${token}`])
  })

  test('404 for a URL that is not exactly right', async () => {
    const { page, invoice } = await shop()
    const { token } = await invoice(700)
    const wrong = [
      token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
      token.replace('t-', 'l-'),
      token.slice(0, -1),
      'x',
      'zzzzzzzzzzzt-zzzzzzzzzzz-0000000000000000000000',
    ]
    for (const one of wrong) {
      const answer = await page(one)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toContain('text/html')
      expect((await page(one, '/state')).status).toBe(404)
    }
  })
})
