import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import { openShop } from './refunds.fixture.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const server = await startServer({ jobs: false })

interface Mail {
  id: number
  kind: string
  subject: string
  to: string
}

/** A business, its signed-in owner, and an invoice that was paid on its page. */
async function setUp(language = 'en') {
  const shop = await openShop(server)
  const owner = await memberOf(server, 'owner', shop.businessId)
  const { body } = await shop.post(INVOICES, { customerEmail: 'ada@example.com', amount: 10_000 })
  const { reference: invoiceReference, hostedUrl } = body.data
  const path = new URL(hostedUrl).pathname
  const page = (below = '', form?: Record<string, string>) =>
    fetch(`${server.url}${path}${below}`, {
      redirect: 'manual',
      headers: { 'accept-language': language },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
  await page('/pay', { channel: 'BANK_TRANSFER' })
  const accountNumber = /\b99\d{8}\b/.exec(await (await page()).text())![0]
  await shop.post('/api/simulator/deposit', { accountNumber, amount: 10_000 })
  const { reference: payment } = await server.db.one<{ reference: string }>`
    select reference from transactions where business_id = ${shop.businessId}`
  const refundMails = async () => {
    await server.runJob('mail')
    const mails = (await owner.get('/console/mails')).body.data as Mail[]
    return mails.filter(({ kind }) => kind === 'refund')
  }
  const refunded = async (amount: number) => {
    const made = await shop.refund({ transactionReference: payment, amount })
    await shop.simulate(made.body.data.reference, 'success')
    return made.body.data.reference as string
  }
  return { ...shop, owner, page, payment, invoiceReference, refundMails, refunded }
}

describe('a refund', () => {
  test('200 emails the payer once when it is created, and appears on the invoice', async () => {
    const { owner, page, payment, invoiceReference, refundMails, refunded, simulate } =
      await setUp()
    const reference = await refunded(4_000)
    await simulate(reference, 'success')
    const [mail, ...others] = await refundMails()
    expect(others).toEqual([])
    expect(mail).toMatchObject({
      to: 'ada@example.com',
      subject: '[Test] Refund: ₦4,000.00 from Ada Ventures',
    })
    const { text } = (await owner.get(`/console/mails/${mail!.id}`)).body.data
    expect(text).toContain('Ada Ventures has refunded ₦4,000.00 of your payment of ₦10,000.00.')
    for (const part of [payment, reference]) expect(text).toContain(part)

    const html = await (await page()).text()
    expect(html).toContain('Ada Ventures refunded ₦4,000.00 to you.')
    const timeline = await owner.get(`/console/invoices/${invoiceReference}/timeline`)
    expect(timeline.body.data.mails.map(({ kind }: Mail) => kind)).toEqual([
      'invoice',
      'receipt',
      'refund',
    ])
  })

  test('200 for a failed refund sends no email', async () => {
    const { refund, simulate, payment, refundMails, page } = await setUp()
    const made = await refund({ transactionReference: payment, amount: 4_000 })
    await simulate(made.body.data.reference, 'failed')
    expect(await refundMails()).toEqual([])
    expect(await (await page()).text()).not.toContain('refunded')
  })

  test.each([
    ['fr-FR', 'Remboursement', 'vous a remboursé votre paiement'],
    ['ha', 'An mayar da kuɗi', 'sun mayar muku'],
    ['yo', 'A dá owó padà', 'padà fún yín'],
    ['ig', 'Nkwụghachi ego', 'enyeghachila gị'],
  ])(
    '200 sends the email in the language of the payment (%s)',
    async (language, subject, words) => {
      const { owner, page, refundMails, refunded } = await setUp(language)
      await refunded(10_000)
      const [mail] = await refundMails()
      expect(mail!.subject).toContain(subject)
      const { text } = (await owner.get(`/console/mails/${mail!.id}`)).body.data
      expect(text).toContain(words)
      const html = await (await page()).text()
      expect(html).toContain('10,000'.replace(',', language === 'fr-FR' ? '\u202f' : ','))
      expect(html).toMatch(/remboursé|sun mayar muku|ti dá|enyeghachila/)
    },
  )
})

test('200 subtracts refunds from the net amount', async () => {
  const { get, refunded } = await setUp()
  const totals = async () =>
    (await get('/api/transaction-service/external/v1/transactions/totals')).body.data
  const before = await totals()
  expect(before.netAfterRefunds).toBe(before.netAmount)
  await refunded(4_000)
  const { netAmount, netAfterRefunds } = await totals()
  expect([netAmount, netAfterRefunds]).toEqual([before.netAmount, before.netAmount - 4_000])
})

test('200 finds a payment by invoice, amount, customer and the start of its reference', async () => {
  const { get, owner, payment, invoiceReference } = await setUp()
  const { invoiceNumber } = (await get(`${INVOICES}/${invoiceReference}`)).body.data
  for (const q of [invoiceNumber, '10,000', 'ada@', payment, payment.slice(0, 10)]) {
    const query = new URLSearchParams({ q, only: 'transaction' })
    const { body } = await owner.get(`/console/search?${query}`)
    expect(body.data, q).toEqual([
      expect.objectContaining({ kind: 'Payment', path: `payments/${payment}` }),
    ])
  }
})
