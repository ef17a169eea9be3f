import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { memberOf } from '../business/people/people.fixture.ts'

const server = await startServer({ jobs: false })
const PREVIEW = '/console/page-preview'
const INVOICE = '/console/invoice-preview'

test.each(['ZZZ', 'XXX', 'JPY'])(
  '200 for a page in %s, whether or not it is a language',
  async (currency) => {
    const { post } = await memberOf(server, 'viewer')
    const draft = { title: 'Lesson', currency, amountType: 'fixed', amount: '5.555' }
    const { status, body } = await post(PREVIEW, draft)
    expect([status, body.data.html]).toEqual([200, expect.stringContaining('Lesson')])
  },
)

test('200 contains no scripts, whatever is written', async () => {
  const { post } = await memberOf(server, 'viewer')
  const evil = `</title></style><script>alert(1)</script>"><img src=x onerror=alert(1)>`
  const { status, body } = await post(PREVIEW, {
    title: evil,
    description: evil,
    color: 'red;}',
    amount: evil.slice(0, 40),
    image: 'javascript:alert(1)',
    customFields: [{ label: evil, type: 'select', required: true, options: [evil] }],
  })
  expect(status).toBe(200)
  expect(body.data.html).not.toMatch(/<script|<img|javascript:|red;/)
})

test('413 for a page so large that drawing it would delay other requests', async () => {
  const { post } = await memberOf(server, 'viewer')
  const options = Array.from({ length: 100 }, () => 'y'.repeat(200))
  const field = { label: 'Size', type: 'select', required: true, options }
  const draft = (fields: number) => ({ title: 'x', customFields: Array(fields).fill(field) })
  expect((await post(PREVIEW, draft(3))).status).toBe(200)
  expect(await post(PREVIEW, draft(40))).toMatchObject({
    status: 413,
    body: { errorCode: 'body_too_large', message: 'The body is larger than 64 KiB.' },
  })
})

test('200 draws an invoice as its customer will see it', async () => {
  const { post } = await memberOf(server, 'viewer')
  const { status, body } = await post(INVOICE, {
    customerName: 'Ada Obi',
    note: 'Thank you',
    dueDate: '2027-01-31',
    lineItems: [
      { name: 'Agbada', quantity: 2, unitAmount: '45000' },
      { name: '', quantity: 1, unitAmount: '' },
    ],
    allowPartialPayment: true,
  })
  expect(status).toBe(200)
  for (const text of ['Ada Obi', 'Thank you', 'Agbada', '₦90,000.00', '31']) {
    expect(body.data.html).toContain(text)
  }
  expect(body.data.html).not.toContain('<script')
})

test('200 draws an invoice with no readable field yet', async () => {
  const { post } = await memberOf(server, 'viewer')
  const evil = `</title></style><script>alert(1)</script>"><img src=x onerror=alert(1)>`
  const drafts = [
    {},
    { amount: 'a lot', dueDate: '2026-02-31', currency: 'ZZZ' },
    { amount: '9'.repeat(40), currency: 'JPY' },
    {
      customerName: evil,
      note: evil,
      lineItems: [{ name: evil, quantity: 1, unitAmount: evil.slice(0, 40) }],
    },
  ]
  for (const draft of drafts) {
    const { status, body } = await post(INVOICE, draft)
    expect(status).toBe(200)
    expect(body.data.html).not.toMatch(/<script|<img/)
  }
})
