import { describe, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'
import { SPLIT_PAGES } from './attempts.fixture.ts'
import { openShop } from './ussd.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server

const settle = async () => {
  clock.advance(1_000)
  await server.runJob('simulator')
}
const isSound = async () => expect(await findings(server)).toEqual([])
const shop = () => openShop(server)

describe('the outcome', () => {
  test('200 settles by itself, with each share and the fee in its account', async () => {
    const { begin, row, splitPage, available, balance, events } = await shop()
    const before = await available()
    const page = await splitPage([50, 33])
    const { transactionId, reference } = await begin({ amount: 10_000.01, pageId: page.id })
    await settle()

    expect(await row(transactionId)).toMatchObject({ status: 'Failed' })
    expect(await available()).toBe(before)
    expect(await balance(page.subaccounts[0]!)).toBeUndefined()

    const second = await begin({ amount: 10_000.05, pageId: page.id })
    await settle()
    expect(await row(second.transactionId)).toMatchObject({
      status: 'Successful',
      late: false,
      gateway_response: 'Approved',
    })
    // 5000.025 and 3300.0165: 8300.04 together, the odd kobo to the larger remainder.
    expect(await balance(page.subaccounts[0]!)).toEqual({ balance_minor: 5_000_02n })
    expect(await balance(page.subaccounts[1]!)).toEqual({ balance_minor: 3_300_02n })
    // The rest, minus 1.5 % and ₦100.
    expect(await available()).toBe(before + 1_700_01 - 250_00)

    const told = await events()
    expect(told.map(({ type }) => type)).toEqual([
      'transaction.pending',
      'transaction.failed',
      'transaction.pending',
      'transaction.successful',
      'wallet.funded',
    ])
    expect(told[1]!.data).toMatchObject({ reference, status: 'Failed', split: [{}, {}] })
    expect(told[3]!.data).toMatchObject({
      status: 'Successful',
      amount: 10_000.05,
      fees: 250,
      splitPageId: page.id,
      pageId: page.id,
      split: [
        {
          subaccount: page.subaccounts[0],
          subaccountCode: expect.stringMatching(/^ACCT_/),
          share: 50,
          amount: 5_000.02,
          amountMinor: 5_000_02,
          fee: 0,
          netAmount: 5_000.02,
          refundedAmount: 0,
        },
        { subaccount: page.subaccounts[1], share: 33, amount: 3_300.02, fee: 0 },
      ],
    })
    expect(told[4]!.data).toMatchObject({ amountMinor: 1_450_01 })
    await isSound()
  })

  test('200 sends no wallet event when subaccounts get everything', async () => {
    const { begin, splitPage, available, balance, events } = await shop()
    const before = await available()
    const page = await splitPage([75, 25], { feeBearer: 'business' })
    await begin({ amount: 1_000, pageId: page.id })
    await settle()
    // The fee of 15 is more than the business's part, which is 0.
    expect(await balance(page.subaccounts[0]!)).toEqual({ balance_minor: 738_75n })
    expect(await balance(page.subaccounts[1]!)).toEqual({ balance_minor: 246_25n })
    expect(await available()).toBe(before)
    expect((await events()).map(({ type }) => type)).toEqual([
      'transaction.pending',
      'transaction.successful',
    ])
    const { settle_at } = await db.one<{ settle_at: Date }>`
      select settle_at from subaccounts where id = ${page.subaccounts[0]}`
    // Midnight in Lagos.
    expect(settle_at.toISOString()).toMatch(/T23:00:00.000Z$/)
    expect(settle_at.getTime() - clock.now().getTime()).toBeGreaterThan(0)
    expect(settle_at.getTime() - clock.now().getTime()).toBeLessThanOrEqual(24 * 3_600_000)
    await isSound()
  })

  test('200 takes the fee from the shares if subaccounts pay it', async () => {
    const { begin, splitPage, available, balance } = await shop()
    const before = await available()
    const page = await splitPage([60, 30], { feeBearer: 'subaccounts' })
    await begin({ amount: 10_000, pageId: page.id })
    await settle()
    // 250: 166.67 and 83.33.
    expect(await balance(page.subaccounts[0]!)).toEqual({ balance_minor: 6_000_00n - 166_67n })
    expect(await balance(page.subaccounts[1]!)).toEqual({ balance_minor: 3_000_00n - 83_33n })
    expect(await available()).toBe(before + 1_000_00)
    await isSound()
  })

  test('200 splits as agreed at the start, whatever the page says later', async () => {
    const { post, begin, splitPage, balance } = await shop()
    const page = await splitPage([50])
    await begin({ amount: 100, pageId: page.id })
    const [{ subaccount }] = page.codes as [(typeof page.codes)[0]]
    const add = `${SPLIT_PAGES}/${page.id}/subaccount/add`
    expect((await post(add, { subaccount, share: 90 })).status).toBe(201)
    await settle()
    expect(await balance(page.subaccounts[0]!)).toEqual({ balance_minor: 50_00n })
    await isSound()
  })

  test.each([
    [100.01, 'Declined by the bank'],
    [100.02, 'Insufficient funds'],
  ])('200 for a payment of %s, which fails', async (amount, says) => {
    const { begin, row } = await shop()
    const { transactionId } = await begin({ amount })
    await settle()
    expect(await row(transactionId)).toMatchObject({ status: 'Failed', gateway_response: says })
  })

  test('200 for .04, which is Abandoned after ten minutes and can be paid late', async () => {
    const { post, begin, row, events, available } = await shop()
    const before = await available()
    const { transactionId, reference } = await begin({ amount: 100.04 })
    clock.advance(9 * 60_000)
    await server.runJob('simulator')
    await server.runJob('charge-orders')
    await server.runJob('transaction-expiry')
    expect((await row(transactionId)).status).toBe('Pending')
    clock.advance(60_001)
    await server.runJob('transaction-expiry')
    expect((await row(transactionId)).status).toBe('Abandoned')

    const dialled = await post('/api/simulator/ussd', { reference, outcome: 'success' })
    expect([dialled.status, dialled.body.data.status]).toEqual([200, 'Successful'])
    expect(await row(transactionId)).toMatchObject({ status: 'Successful', late: true })
    await db.run`update simulator_orders set notify = true
      where reference = ${sentReferenceOf(reference, 1)}`
    await server.runJob('simulator')
    expect((await events()).map(({ type }) => type)).toEqual([
      'transaction.pending',
      'transaction.abandoned',
      'transaction.successful',
      'wallet.funded',
    ])
    expect(await available()).toBe(before + 100_04 - 1_50)
    await isSound()
  })

  test('200 for .03, which a time-out does not decide, and which succeeds later', async () => {
    const { begin, row } = await shop()
    const { transactionId, reference } = await begin({ amount: 100.03 })
    await db.run`
      update simulator_orders set silent_until = silent_until + interval '5 minutes',
        due_at = due_at + interval '5 minutes'
      where reference = ${sentReferenceOf(reference, 1)}`
    clock.advance(61_000)
    expect(await server.runJob('charge-orders')).toBeGreaterThan(0)
    expect((await row(transactionId)).status).toBe('Pending')
    clock.advance(5 * 60_000)
    await server.runJob('simulator')
    expect(await row(transactionId)).toMatchObject({ status: 'Successful', late: false })
    await isSound()
  })

  test('200 for another amount than asked, which a person looks at and does not block the others', async () => {
    const { begin, row } = await shop()
    const odd = await begin({ amount: 100.04 })
    const good = await begin({ amount: 100.04 })
    const sent = ({ reference }: { reference: string }) => sentReferenceOf(reference, 1)
    await db.run`
      update simulator_orders set status = 'Successful',
        amount_minor = amount_minor + case when reference = ${sent(odd)} then 1 else 0 end
      where reference in (${sent(odd)}, ${sent(good)})`
    clock.advance(61_000)
    await server.runJob('charge-orders')
    expect((await row(odd.transactionId)).status).toBe('Pending')
    expect((await row(good.transactionId)).status).toBe('Successful')
    expect(
      await db.many`select attention, field, ours_minor, theirs_minor
        from provider_orders join provider_differences using (business_id, live, subject_id)
        where subject_id = ${odd.transactionId}`,
    ).toEqual([
      { attention: 'different', field: 'amount', ours_minor: 100_04n, theirs_minor: 100_05n },
    ])
  })

  test('200 for a payment declined in the simulator', async () => {
    const { post, begin, row } = await shop()
    const { transactionId, reference } = await begin({ amount: 100 })
    await post('/api/simulator/ussd', { reference, outcome: 'failed' })
    expect((await row(transactionId)).status).toBe('Failed')
    const again = await post('/api/simulator/ussd', { reference, outcome: 'success' })
    expect(again.status).toBe(409)
  })
})
