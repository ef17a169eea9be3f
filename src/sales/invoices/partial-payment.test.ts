import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const SETTINGS = '/api/user-service/external/v1/profile/settings'

const server = await startServer({ jobs: false })
const { db, url } = server

async function shop(settings: object = {}) {
  const { keys } = await server.newBusiness()
  const { get, post, put } = server.as(keys.testSecret)
  await put(SETTINGS, settings)
  const invoice = async (amount: number, more: object = {}) => {
    const fields = { customerEmail: 'ada@example.com', amount, allowPartialPayment: true }
    const { body } = await post(PATH, { ...fields, ...more })
    const path = new URL(body.data.hostedUrl).pathname
    const page = (below = '', form?: Record<string, string>) =>
      fetch(`${url}${path}${below}`, {
        redirect: 'manual',
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      })
    const reference = body.data.reference as string
    const current = async () => (await get(`${PATH}/${reference}`)).body.data
    /** Chooses an amount and returns the account to pay it to. */
    const account = async (amount: string) => {
      const { status } = await page('/pay', { channel: 'BANK_TRANSFER', amount })
      expect(status).toBe(303)
      return /\b99\d{8}\b/.exec(await (await page()).text())?.[0] ?? ''
    }
    return { reference, path, page, current, account }
  }
  const deposit = async (accountNumber: string, amount: number) =>
    (await post('/api/simulator/deposit', { accountNumber, amount })).body.data
  return { get, post, invoice, deposit }
}

describe('POST /i/{token}/pay with an amount', () => {
  test('303 opens an account for the part, and several parts add up to the whole', async () => {
    const { invoice, deposit } = await shop()
    const { account, current } = await invoice(10_000)

    expect((await deposit(await account('2500'), 2500)).accepted).toBe(true)
    expect(await current()).toMatchObject({ status: 'PartiallyPaid', amountDue: 7500 })
    expect((await deposit(await account('₦3,000.50'), 3000.5)).accepted).toBe(true)
    // In the French format: misread, it would be a hundred times as much and exceed the amount due.
    expect((await deposit(await account('4\u202f499,50'), 4499.5)).accepted).toBe(true)
    const paid = await current()
    expect(paid).toMatchObject({ status: 'Paid', amountPaid: 10_000, amountDue: 0 })
    expect(paid.payments.map(({ amount }: { amount: number }) => amount)).toEqual([
      2500, 3000.5, 4499.5,
    ])
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test.each([
    ['99.99', 'Please pay at least ₦100.00.'],
    ['0', 'Please pay at least ₦100.00.'],
    ['99,99', 'Please pay at least ₦100.00.'],
    ['500,00,00', 'Only ₦10,000.00 is left to pay.'],
    ['10000.01', 'Only ₦10,000.00 is left to pay.'],
    ['much', 'Enter an amount in digits'],
    ['-500', 'Enter an amount in digits'],
    ['1e3', 'Enter an amount in digits'],
    ['500.005', 'Enter an amount in digits'],
    ['', 'Enter an amount in digits'],
    ['<b>"', 'Enter an amount in digits'],
  ])('303 returns to the page, which says what is wrong with %j', async (amount, says) => {
    const { invoice } = await shop()
    const { page, path, reference } = await invoice(10_000)
    const { status, headers } = await page('/pay', { channel: 'BANK_TRANSFER', amount })
    expect(status).toBe(303)
    const location = headers.get('location')!
    expect(location.startsWith(`${path}?amount=`)).toBe(true)
    const html = await (await fetch(url + location)).text()
    expect(html).toContain(says)
    expect(html).toContain('aria-invalid="true"')
    expect(html).not.toContain('<b>')
    expect(
      await db.one`select count(*) as n from transactions where invoice_reference = ${reference}`,
    ).toEqual({ n: 0 })
  })

  test.each([
    'amount=500&amount=700',
    'amount=&amount=',
    'amount[]=500',
    'amount%5B%5D=500&amount%5B%5D=700',
    'amount[0]=500',
    'amount=500&amount[]=700',
    'amount.value=500',
  ])(
    '400 says beside the field that %j is not a single amount, and opens nothing',
    async (form) => {
      const { invoice } = await shop()
      const { path, page, reference } = await invoice(10_000)
      for (const channel of ['BANK_TRANSFER', 'USSD']) {
        const answer = await fetch(`${url}${path}/pay`, {
          method: 'POST',
          redirect: 'manual',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: `channel=${channel}&${form}`,
        })
        expect(answer.status).toBe(400)
        const html = await answer.text()
        expect(html).toMatch(/<input id="part"[^>]* value="10,000.00"[^>]* aria-invalid="true"/)
        expect(html).toContain('Enter a single amount.')
        expect(html).toContain(`action="${path}/pay"`)
      }
      expect(await (await page()).text()).not.toContain('aria-invalid="true"')
      expect(await (await page(`?${form}`)).text()).toContain('aria-invalid="true"')
      expect(
        await db.one`select count(*) as n from transactions where invoice_reference = ${reference}`,
      ).toEqual({ n: 0 })
    },
  )

  test('303 for the full amount due if the payer chose nothing or cannot choose', async () => {
    const { invoice, deposit } = await shop()
    const whole = await invoice(10_000)
    await whole.page('/pay', { channel: 'BANK_TRANSFER' })
    const fixed = await invoice(10_000, { allowPartialPayment: false })
    expect(await (await fixed.page()).text()).not.toContain('id="part"')
    expect((await deposit(await fixed.account('500'), 500)).reason).toBe('amount_too_low')
    const small = await invoice(100)
    expect(await (await small.page()).text()).not.toContain('id="part"')
    expect((await deposit(await small.account('50'), 100)).accepted).toBe(true)
    expect(
      await db.one`select amount_minor from transactions
        where invoice_reference = ${whole.reference}`,
    ).toEqual({ amount_minor: 1_000_000n })
  })

  test('303 keeps the chosen part when the payer picks another way to pay', async () => {
    const { invoice } = await shop()
    const { page, account } = await invoice(10_000)
    await account('4000')
    const { status, headers } = await page('/cancel-payment', {})
    expect(status).toBe(303)
    const html = await (await fetch(url + headers.get('location'))).text()
    expect(html).toMatch(/<input id="part"[^>]* value="4,000.00"/)
  })

  test('200 has the receipt of the latest part until a payment for the rest is started', async () => {
    const { invoice, deposit } = await shop()
    const { page, account, current } = await invoice(10_000)
    const seen = async () => (await (await page()).text()).replace(/<[^>]+>/g, ' ')
    expect(await seen()).not.toContain('received')
    await deposit(await account('2500'), 2500)
    await deposit(await account('3000'), 3000)
    const { payments } = await current()
    const text = await seen()
    expect(text).toContain('₦3,000.00 received')
    expect(text).toContain('Thank you! ₦4,500.00 is left to pay.')
    expect(text).toContain(payments[1].reference)
    expect(text).toContain('How would you like to pay the rest?')
    await account('4500')
    expect(await seen()).not.toContain('₦3,000.00 received')
  })

  test('303 keeps the amount when the payer asks for another bank’s code', async () => {
    const { invoice } = await shop()
    const { page, reference } = await invoice(10_000)
    await page('/pay', { channel: 'USSD', bankCode: '058', amount: '4000' })
    const html = await (await page()).text()
    expect(html).toContain('<input type="hidden" name="amount" value="4000.00"')
    await page('/pay', { channel: 'USSD', bankCode: '044', amount: '4000.00' })
    expect(
      await db.many`select amount_minor, bank_code from transactions
        where invoice_reference = ${reference}`,
    ).toEqual([{ amount_minor: 400_000n, bank_code: '044' }])
  })

  test('303 replaces the first amount with another: money for the first is sent back', async () => {
    const { invoice, deposit } = await shop()
    const { account, current, page } = await invoice(10_000)
    const first = await account('2500')
    await page('/cancel-payment', {})
    const second = await account('4000')
    expect(second).not.toBe(first)
    expect((await deposit(first, 2500)).accepted).toBe(false)
    expect((await deposit(second, 4000)).accepted).toBe(true)
    expect(await current()).toMatchObject({ amountPaid: 4000 })
  })

  test('303 adds the fee of the part when the customer pays the fee', async () => {
    const { invoice, deposit } = await shop({ feeBearer: 'customer' })
    const { account, current } = await invoice(10_000)
    const number = await account('4000')
    // 1.5 % plus ₦100.
    expect((await deposit(number, 4000)).reason).toBe('amount_too_low')
    expect((await deposit(number, 4160)).accepted).toBe(true)
    expect(await current()).toMatchObject({ status: 'PartiallyPaid', amountPaid: 4000 })
  })
})

describe('two parts at once', () => {
  test('200 keeps whatever exceeds the amount due as an overpayment, in either order', async () => {
    const { invoice, deposit } = await shop()
    for (let round = 0; round < 15; round++) {
      const { account, page, current, reference } = await invoice(10_000)
      const number = await account('6000')
      await page('/cancel-payment', {})
      await page('/pay', { channel: 'USSD', amount: '6000' })
      await Promise.all([
        deposit(number, 6000),
        page('/simulate', { outcome: 'success' }),
        deposit(number, 6000),
        page('/simulate', { outcome: 'success' }),
      ])
      const paid = await current()
      expect(paid).toMatchObject({ status: 'Paid', amountPaid: 10_000 })
      const over = paid.payments.map(
        ({ overpaidAmount }: { overpaidAmount: number }) => overpaidAmount,
      )
      expect(over.sort()).toEqual([0, 2000])
      expect(
        await db.one`select sum(paid_minor)::bigint as paid_minor,
            sum(excess_minor)::bigint as excess_minor from transactions
          where invoice_reference = ${reference} and status = 'Successful'`,
      ).toEqual({ paid_minor: 1_200_000n, excess_minor: 200_000n })
    }
    expect(await runAudit(db, allChecks)).toEqual([])
  })
})
