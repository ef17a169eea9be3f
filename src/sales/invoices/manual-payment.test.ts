import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { memberOf } from '../../business/people/people.fixture.ts'

const server = await startServer({ jobs: false })
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const INVOICES = '/api/payment-service/external/v1/invoices'
const MANUAL = {
  bankName: 'Guaranty Trust Bank',
  accountNumber: '0123456789',
  accountName: 'Ada Ventures',
  instructions: 'Send us a message once you have paid.',
}

async function shop() {
  const { businessId, keys } = await server.newBusiness()
  const owner = await memberOf(server, 'owner', businessId)
  owner.choose(businessId, 'live')
  return { businessId, owner, live: server.as(keys.liveSecret), test: server.as(keys.testSecret) }
}

const pageOf = async (hostedUrl: string) =>
  (await fetch(server.url + new URL(hostedUrl).pathname)).text()

const INVOICE = { customerEmail: 'payer@example.com', amount: 5_000 }

test('201 sends a live invoice that no channel can take and says so', async () => {
  const { live, test } = await shop()
  const { status, body } = await live.post(INVOICES, INVOICE)
  expect([status, body.data.status, body.data.payableOnline]).toEqual([201, 'Sent', false])
  expect((await test.post(INVOICES, INVOICE)).body.data.payableOnline).toBe(true)
  const html = await pageOf(body.data.hostedUrl)
  expect(html).toContain('can’t be paid online right now')
  expect(html).not.toContain('/pay"')
})

test('200 shows the payer the business’s instructions and no button', async () => {
  const { owner, live } = await shop()
  const set = await owner.put(SETTINGS, { manualPayment: MANUAL })
  expect([set.status, set.body.data.manualPayment]).toEqual([200, MANUAL])
  const { body } = await live.post(INVOICES, INVOICE)
  const html = await pageOf(body.data.hostedUrl)
  expect(html).toContain('Pay by bank transfer')
  expect(html).toContain('Ada Ventures')
  expect(html).toContain(MANUAL.instructions)
  expect(html).toContain(body.data.invoiceNumber)
  expect(html).not.toContain('/pay"')
})

test('400 for a currency that no channel takes, unless the business has payment instructions', async () => {
  const { businessId, owner, test: key } = await shop()
  owner.choose(businessId, 'test')
  const dollars = { ...INVOICE, amount: 5, currency: 'USD' }
  const refused = await key.post(INVOICES, dollars, { 'idempotency-key': 'dollars' })
  expect([refused.status, refused.body.errors]).toEqual([
    400,
    {
      currency: [
        'must be NGN: no channel can take USD, and the business has not set manualPayment',
      ],
    },
  ])
  const draft = await key.post(INVOICES, { ...INVOICE, sendImmediately: false })
  const path = `${INVOICES}/${draft.body.data.reference}`
  const changed = await key.put(path, { currency: 'USD' })
  expect([changed.status, Object.keys(changed.body.errors)]).toEqual([400, ['currency']])
  expect((await key.get(path)).body.data.currency).toBe('NGN')

  expect((await owner.put(SETTINGS, { manualPayment: MANUAL })).status).toBe(200)
  const first = await key.post(INVOICES, dollars, { 'idempotency-key': 'dollars' })
  expect([first.status, first.body.data.payableOnline]).toEqual([201, false])
  expect((await key.put(path, { currency: 'USD' })).body.data.currency).toBe('USD')

  // A repeat gets the original response, even if the settings have changed since.
  expect((await owner.put(SETTINGS, { manualPayment: null })).status).toBe(200)
  const again = await key.post(INVOICES, dollars, { 'idempotency-key': 'dollars' })
  expect([again.status, again.text]).toEqual([201, first.text])
  expect((await key.post(INVOICES, dollars)).status).toBe(400)
  expect((await key.put(path, { note: 'Thank you' })).status).toBe(200)
})

test('403 for keys and for everyone except an owner with the password', async () => {
  const { businessId, owner, live } = await shop()
  const refused = await live.put(SETTINGS, { manualPayment: MANUAL })
  expect(refused).toMatchObject({ status: 403, body: { errorCode: 'people_only' } })
  expect((await live.put(SETTINGS, { manualPayment: null })).status).toBe(200)
  const admin = await memberOf(server, 'admin', businessId)
  admin.choose(businessId, 'live')
  const denied = await admin.put(SETTINGS, { manualPayment: MANUAL })
  expect(denied).toMatchObject({ status: 403, body: { errorCode: 'owner_needed' } })
  server.clock.advance(6 * 60_000)
  const again = await owner.put(SETTINGS, { manualPayment: MANUAL })
  expect(again).toMatchObject({ status: 403, body: { errorCode: 'reauthentication_needed' } })
})

test.each([
  [{ ...MANUAL, bankName: '' }, 'manualPayment.bankName'],
  [{ ...MANUAL, accountNumber: 'a' }, 'manualPayment.accountNumber'],
  [{ bankName: 'Bank', accountNumber: '0123456789' }, 'manualPayment.accountName'],
])('400 for %j', async (manualPayment, field) => {
  const { owner } = await shop()
  const { status, body } = await owner.put(SETTINGS, { manualPayment })
  expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
})
