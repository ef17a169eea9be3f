import { expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import type { IncomingPayment } from '../../providers/connector/types.ts'
import { connect, setRoutes } from '../../providers/providers.fixture.ts'

/* Providers that create one USSD code for one bank. */

const USSD = '/api/transaction-service/external/v1/transaction-with-ussd'
const VERIFY = '/api/transaction-service/external/v1/transactions/verify'
const INVOICES = '/api/payment-service/external/v1/invoices'

const [GTB, UBA, ZENITH] = ['058', '033', '057']

/** What was paid, by the reference of the order. */
const paid = new Map<string, IncomingPayment>()
/** The banks that refuse to create a code. */
const closed = new Set<string>()
const server = await startServer({
  jobs: false,
  connectors: (simulator) => {
    const oneBank = {
      ...simulator,
      isSimulator: false,
      startIsRepeatable: false,
      async startUssd(about, order) {
        if (closed.has(order.bankCode ?? '')) {
          return { kind: 'refused', code: 'declined', message: 'The bank is closed.' }
        }
        const outcome = await simulator.startUssd(about, order)
        if (outcome.kind !== 'done') return outcome
        const bankCode = order.bankCode ?? GTB
        return { ...outcome, value: outcome.value.filter((code) => code.bankCode === bankCode) }
      },
      async lookUpCharge(_about, { reference }) {
        const payment = paid.get(reference)
        const status = payment ? 'Successful' : 'Pending'
        const payments = payment ? [payment] : []
        return { kind: 'done', value: { status, message: 'Paid', payments } }
      },
    } satisfies typeof simulator
    return { simulator, paystack: oneBank, flutterwave: oneBank }
  },
})
const { db } = server

/** A business with one connection for two banks, and another for a third. */
async function openShop() {
  const { businessId, keys } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const two = await connect(server, businessId, { settings: { ussdBanks: [GTB, UBA] } })
  const provider = 'flutterwave'
  const one = await connect(server, businessId, { provider, settings: { ussdBanks: [ZENITH] } })
  await setRoutes(server, businessId, [
    { service: 'USSD', connectionId: two },
    { service: 'USSD', connectionId: one, priority: 2 },
  ])
  const { body } = await post(INVOICES, { customerEmail: 'ada@example.com', amount: 1_000 })
  const url = `${server.url}${new URL(body.data.hostedUrl).pathname}`
  const page = async () => (await fetch(url)).text()
  async function pay(bankCode: string) {
    const form = new URLSearchParams({ channel: 'USSD', bankCode })
    const init = { method: 'POST', body: form, redirect: 'manual' } as const
    return (await fetch(`${url}/pay`, init)).status
  }
  const transaction = () => db.one<{ reference: string; banks: string[]; bank_code: string }>`
    select reference, bank_code, (
      select array_agg(c ->> 'bankCode' order by n)
      from json_array_elements(ussd_codes::json) with ordinality as codes (c, n)) as banks
    from transactions where business_id = ${businessId} order by id desc limit 1`
  const orders = () => db.many<{ sent_reference: string; connection_id: number }>`
    select sent_reference, connection_id from provider_orders
    where business_id = ${businessId} order by created_at, attempt`
  const verify = async (reference: string) => (await get(`${VERIFY}/${reference}`)).body.data
  return { two, one, post, page, pay, transaction, orders, verify }
}

test('200 payers are offered the banks that the connections have', async () => {
  const { page, post } = await openShop()
  const html = await page()
  for (const bank of [GTB, UBA, ZENITH]) expect(html).toContain(`value="${bank}"`)
  expect(html).not.toContain('value="011"')
  const refused = await post(USSD, { channel: 'USSD', amount: 500, bankCode: '011' })
  expect(refused).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/one of these banks: .*Zenith Bank/) },
  })
  const { status, body } = await post(USSD, { channel: 'USSD', amount: 500, bankCode: UBA })
  expect([status, body.data.ussdBanks]).toMatchObject([200, [{ bankCode: UBA }]])
  const first = await post(USSD, { channel: 'USSD', amount: 500 })
  expect(first.body.data.ussdBanks).toMatchObject([{ bankCode: GTB }])
})

test('303 another bank gets another order, and any of them can be paid', async () => {
  const { two, one, page, pay, transaction, orders, verify } = await openShop()
  for (const bank of [GTB, UBA, UBA, ZENITH, GTB]) expect(await pay(bank)).toBe(303)
  const { reference, ...codes } = await transaction()
  expect(codes).toEqual({ banks: [GTB, UBA, ZENITH], bank_code: GTB })
  const sent = await orders()
  expect(sent.map(({ connection_id }) => connection_id)).toEqual([two, two, one])
  // Only the simulator's payments can be simulated.
  expect(await page()).not.toContain('/simulate')
  paid.set(sent[1]!.sent_reference, {
    providerId: '1',
    amount_minor: 1_000_00n,
    currency: 'NGN',
    fee_minor: null,
    receivedAt: server.clock.now(),
    disposition: 'kept',
    sender: null,
  })
  server.clock.advance(2 * 60_000)
  await server.runJob('charge-orders')
  expect(await verify(reference)).toMatchObject({ status: 'Successful' })
  expect(await pay(ZENITH)).toBe(409)
  expect(await orders()).toHaveLength(3)
  expect(await findings(server)).toEqual([])
})

test('409 a bank that refuses leaves the codes of the others', async () => {
  const { pay, transaction, orders, verify } = await openShop()
  expect(await pay(GTB)).toBe(303)
  closed.add(ZENITH)
  expect(await pay(ZENITH)).toBe(409)
  closed.clear()
  const { reference, banks } = await transaction()
  expect(banks).toEqual([GTB])
  expect(await verify(reference)).toMatchObject({ status: 'Pending' })
  expect(await pay(ZENITH)).toBe(303)
  expect((await transaction()).banks).toEqual([GTB, ZENITH])
  expect(await orders()).toHaveLength(3)
  expect(await findings(server)).toEqual([])
})

test('303 simultaneous requests for another bank send one order', async () => {
  const { pay, orders } = await openShop()
  expect(await pay(GTB)).toBe(303)
  const statuses = await Promise.all(Array.from({ length: 20 }, () => pay(UBA)))
  expect(new Set(statuses)).toEqual(new Set([303]))
  expect(await orders()).toHaveLength(2)
})
