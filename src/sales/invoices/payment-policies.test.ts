import { describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { EVENTS, openShop } from './invoices.fixture.ts'

const server = await startServer({ jobs: false })

const isSound = async () => expect(await findings(server)).toEqual([])
const shop = () => openShop(server)

describe('when the customer pays the fee', () => {
  test('200 adds the fee to the payment, and the wallet gets the full amount', async () => {
    const { keys, invoice, account, deposit, available } = await shop()
    await server
      .as(keys.testSecret)
      .put('/api/user-service/external/v1/profile/settings', { feeBearer: 'customer' })
    const before = await available()
    const { token } = await invoice(10_000)
    const number = await account(token)

    expect((await deposit(number, 10_000)).body.data.reason).toBe('amount_too_low')
    expect((await deposit(number, 10_250)).body.data.accepted).toBe(true)
    expect(await available()).toBe(before + 10_000)
    await isSound()
  })
})

describe('policies of virtual accounts', () => {
  test('200 accept_partial never reports more than arrived', async () => {
    const { keys, get, invoice, account, deposit, current } = await shop()
    const settings = { feeBearer: 'customer', virtualAccountPolicy: 'accept_partial' }
    await server.as(keys.testSecret).put('/api/user-service/external/v1/profile/settings', settings)
    const { token, reference } = await invoice(5_000)
    expect((await deposit(await account(token), 1)).body.data.accepted).toBe(true)
    expect((await deposit(await account(token), 2_000)).body.data.accepted).toBe(true)

    // The fee is 1.5 % of what remains: 0.99 and 0.01, 1,970.44 and 29.56.
    const { status, amountPaid, payments } = await current(reference)
    expect([status, amountPaid]).toEqual(['PartiallyPaid', 1_971.43])
    expect(payments).toMatchObject([
      { amount: 0.99, overpaidAmount: 0, kind: 'payment' },
      { amount: 1_970.44, overpaidAmount: 0, kind: 'payment' },
    ])
    const { body } = await get(`${EVENTS}?type=transaction.successful`)
    expect(body.data[1].data).toMatchObject({ amount: 0.99, fees: 0.01, netAmount: 0.99 })
    await isSound()
  })

  const withPolicy = async (virtualAccountPolicy: string) => {
    const one = await shop()
    await server
      .as(one.keys.testSecret)
      .put('/api/user-service/external/v1/profile/settings', { virtualAccountPolicy })
    return one
  }

  test('200 accept_over keeps the amount due and owes the rest back', async () => {
    const { invoice, account, deposit, available, current } = await withPolicy('accept_over')
    const before = await available()
    const { token, reference } = await invoice(1_000)
    const number = await account(token)
    expect((await deposit(number, 1_200)).body.data.accepted).toBe(true)
    expect(await current(reference)).toMatchObject({
      status: 'Paid',
      payments: [{ amount: 1_000, overpaidAmount: 200, kind: 'payment' }],
    })
    expect(await available()).toBe(before + 1_000 - 15)
    await isSound()
  })

  test('200 accept_partial leaves the rest due', async () => {
    const { invoice, account, deposit, current, eventTypes } = await withPolicy('accept_partial')
    const { token, reference } = await invoice(1_000)
    expect((await deposit(await account(token), 400)).body.data.accepted).toBe(true)
    expect(await current(reference)).toMatchObject({
      status: 'PartiallyPaid',
      amountPaid: 400,
      amountDue: 600,
    })
    expect((await deposit(await account(token), 600)).body.data.accepted).toBe(true)
    expect(await current(reference)).toMatchObject({ status: 'Paid', amountDue: 0 })
    expect(await eventTypes()).toContain('invoice.partially_paid')
    await isSound()
  })
})
