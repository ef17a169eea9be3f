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

/** A business with its owner, and functions that refund, settle, transfer and pay a bill. */
async function trading() {
  const shop = await openShop(server)
  const owner = await memberOf(server, 'owner', shop.businessId)

  async function refund() {
    const { products } = await goods(shop)
    const customer = { customerEmail: 'bola@names.example', customerName: 'Bola Ade' }
    const { reference } = await shop.begun({ ...customer, products })
    await shop.paid(reference)
    const [payment] = (await shop.get(`${MONEY}/transactions?limit=1`)).body.data
    await shop.refund(payment.id, 1_000)
  }

  async function settle() {
    const stall = await shop.subaccount({ bank: 58, business_name: 'Ada’s stall' })
    const subaccounts = [{ subaccount: stall.code, share: 40 }]
    const page = (await shop.post(`${MONEY}/split-page`, { name: 'Rides', subaccounts })).body.data
    const ride = { amount: 4_000, channel: 'USSD', pageId: page.id }
    const started = (await shop.post(`${MONEY}/transaction-with-ussd`, ride)).body.data
    const { reference } = started
    await shop.post('/api/simulator/ussd', { reference, outcome: 'success' })
    await shop.post('/api/simulator/settlement', {})
  }

  async function transfer() {
    const account = { bankCode: '058', accountNumber: '0123456785' }
    return (await shop.post(`${MONEY}/transfers`, { amount: 500, ...account })).body.data
  }

  async function payBill() {
    const meter = { customerId: '04123456789', ...METER }
    await shop.post(`${BILLS}/customer-enquiry`, meter)
    return (await shop.post(`${BILLS}/process-payment`, meter)).body.responseData
  }

  return { ...shop, owner, refund, settle, transfer, payBill }
}

describe('names instead of references', () => {
  test('200 for the ledger, with names as far as the role can see them', async () => {
    const { owner, businessId, ...shop } = await trading()
    await shop.refund()
    await shop.settle()
    const transfer = await shop.transfer()
    const bill = await shop.payBill()
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

  test('200 for the overview, with the payer of a refund, the subaccount and the bill', async () => {
    const { owner, refund, settle, payBill } = await trading()
    // One after another, because the overview shows only the latest lines.
    async function expectLine(type: RegExp, rest: Partial<Line>) {
      const line = expect.objectContaining({ type: expect.stringMatching(type), ...rest })
      const lines = async (): Promise<Line[]> =>
        (await owner.get('/console/overview')).body.data.activity
      await expect.poll(lines).toContainEqual(line)
    }
    await refund()
    await expectLine(/^refund\./, { who: 'Bola Ade' })
    await settle()
    await expectLine(/^settlement\.paid$/, { who: 'Ada’s stall' })
    const bill = await payBill()
    await expectLine(/^utility\./, { who: bill.customerName, about: bill.packageName })
  })
})
