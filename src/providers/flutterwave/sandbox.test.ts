import { expect, test } from 'vitest'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave, payoutOrder } from './flutterwave.fixture.ts'

const { double, call, sentOf } = await openFlutterwave({ secretKey: 'FLWSECK_TEST-double1-X' })
const { payOut, payOutMany, lookUpPayout } = flutterwave.payouts!
double.provider.owner.topUp(10_000_000n)

/** One of the accounts that exist there. */
const to = {
  bank: { code: '044', id: '1', name: 'Access Bank' },
  accountName: null,
  accountNumber: '0690000031',
}

test('in the test environment, transfers succeed under a longer reference', async () => {
  const order = payoutOrder(5_000n, { to })
  expect(shown(await payOut(call(), order))).toBe('done')
  expect(double.books.executed.get(`${order.reference}_PMCK`)).toBe(1)
  await double.advance(0)
  expect(valueIn(await lookUpPayout(call(), sentOf(order))).status).toBe('Successful')
  const notice = double.notices.sent.at(-1)!
  expect(flutterwave.notices!.read({ headers: {}, body: Buffer.from(notice.body) })).toMatchObject([
    { about: 'payout', reference: order.reference },
  ])

  const batch = [payoutOrder(6_000n, { to }), payoutOrder(7_000n, { to })]
  expect(shown(await payOutMany!(call(), batch))).toBe('done')
  for (const one of batch) {
    expect(valueIn(await lookUpPayout(call(), sentOf(one))).status).toBe('Successful')
  }
  const range = { from: double.now(), until: new Date(double.now().getTime() + 1) }
  const { entries } = valueIn(await flutterwave.reports!.entries(call(), 'payout', range, null))
  const sent = [order, ...batch].map(({ reference }) => reference)
  expect(entries.map(({ reference }) => reference).sort()).toEqual(sent.sort())
})

test('the probe knows the environment by the key', async () => {
  expect(valueIn(await flutterwave.probe(call())).environment).toBe('sandbox')
  const live = call({ key: 'FLWSECK-double1-X' })
  expect(shown(await flutterwave.probe(live))).toBe('notNow credentials_refused')
})
