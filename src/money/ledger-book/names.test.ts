import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import { goods, openShop } from '../../sales/checkout/checkout.fixture.ts'
import { METER } from '../bills/bills.fixture.ts'

const server = await startServer()
const MONEY = '/api/transaction-service/external/v1'
const BILLS = '/api/payment-service/external/v1/utility/transactions'

interface Line {
  type: string
  who: string | null
  about: string | null
}

interface Move {
  cause: { type: string; reference: string | null; name: string | null }
}

/** A business with a payment, a refund, a transfer, a settlement and a bill. */
async function traded() {
  const shop = await openShop(server)
  const owner = await memberOf(server, 'owner', shop.businessId)
  const { products } = await goods(shop)
  const customer = { customerEmail: 'bola@names.example', customerName: 'Bola Ade' }
  const { reference } = await shop.begun({ ...customer, products })
  await shop.paid(reference)
  const [payment] = (await shop.get(`${MONEY}/transactions?limit=1`)).body.data
  await shop.refund(payment.id, 1_000)

  const stall = await shop.subaccount({ bank: 58, business_name: 'Ada’s stall' })
  const subaccounts = [{ subaccount: stall.code, share: 40 }]
  const page = (await shop.post(`${MONEY}/split-page`, { name: 'Rides', subaccounts })).body.data
  const ride = { amount: 4_000, channel: 'USSD', pageId: page.id }
  const begun = (await shop.post(`${MONEY}/transaction-with-ussd`, ride)).body.data
  await shop.post('/api/simulator/ussd', { reference: begun.reference, outcome: 'success' })
  await shop.post('/api/simulator/settlement', {})

  const account = { bankCode: '058', accountNumber: '0123456785' }
  const transfer = (await shop.post(`${MONEY}/transfers`, { amount: 500, ...account })).body.data
  const meter = { customerId: '04123456789', ...METER }
  await shop.post(`${BILLS}/customer-enquiry`, meter)
  const bill = (await shop.post(`${BILLS}/process-payment`, meter)).body.responseData
  return { ...shop, owner, transfer, bill }
}

describe('names in place of references', () => {
  test('200 the ledger names whom a movement is about, as far as the role may know', async () => {
    const { owner, businessId, transfer, bill } = await traded()
    const names = async (member: typeof owner) => {
      const moves: Move[] = (await member.get('/console/ledger?limit=100')).body.data
      return Object.fromEntries(moves.map(({ cause: { type, name } }) => [type, name]))
    }
    const expected = {
      refund: 'Bola Ade',
      transfer: transfer.accountName,
      settlement: 'Ada’s stall',
      utility_payment: bill.packageName,
    }
    await expect.poll(() => names(owner)).toMatchObject(expected)
    const [move] = (await owner.get('/console/ledger?cause=refund&limit=1')).body.data
    const entry = (await owner.get(`/console/ledger/${move.reference}`)).body.data
    expect(entry.cause.name).toBe('Bola Ade')

    const viewer = await memberOf(server, 'viewer', businessId)
    expect(await names(viewer)).toMatchObject({
      refund: 'Bola Ade',
      transfer: null,
      settlement: null,
      utility_payment: null,
    })
  })

  test('200 the overview names the payer of a refund, the subaccount and the bill', async () => {
    const { owner, bill } = await traded()
    const lines = async () => {
      const { activity } = (await owner.get('/console/overview')).body.data
      return activity as Line[]
    }
    const line = (type: RegExp, rest: Partial<Line>) =>
      expect.objectContaining({ type: expect.stringMatching(type), ...rest })
    await expect
      .poll(lines)
      .toEqual(
        expect.arrayContaining([
          line(/^refund\./, { who: 'Bola Ade' }),
          line(/^settlement\.paid$/, { who: 'Ada’s stall' }),
          line(/^utility\./, { who: bill.customerName, about: bill.packageName }),
        ]),
      )
  })
})
