import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { memberOf } from './testing.ts'

const server = await startServer({ sweepers: false })
const PREVIEW = '/console/page-preview'

test.each(['ZZZ', 'XXX', 'JPY'])(
  '200 for a page in %s, whether there is that or not',
  async (currency) => {
    const { post } = await memberOf(server, 'viewer')
    const draft = { title: 'Lesson', currency, amountType: 'fixed', amount: '5.555' }
    const { status, body } = await post(PREVIEW, draft)
    expect([status, body.data.html]).toEqual([200, expect.stringContaining('Lesson')])
  },
)

test('200 has nothing that runs, whatever is written', async () => {
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

test('400 for a page so large that to draw it would keep all others waiting', async () => {
  const { post } = await memberOf(server, 'viewer')
  const options = Array.from({ length: 100 }, () => 'y'.repeat(200))
  const field = { label: 'Size', type: 'select', required: true, options }
  const draft = (fields: number) => ({ title: 'x', customFields: Array(fields).fill(field) })
  expect((await post(PREVIEW, draft(6))).status).toBe(200)
  expect(await post(PREVIEW, draft(40))).toMatchObject({
    status: 400,
    body: { errorCode: 'validation_failed' },
  })
})
