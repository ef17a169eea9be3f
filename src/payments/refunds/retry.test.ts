import { afterEach, describe, expect, test } from 'vitest'
import { rounds, statusesOf, times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import type { Outcome, RefundState } from '../../providers/connector/types.ts'
import { openBank, openShop, REFUNDS } from './refunds.fixture.ts'

/** What the provider says to a retry, instead of the simulator, and how often it was asked. */
const said: { answer: Outcome<RefundState> | undefined; asked: number } = {
  answer: undefined,
  asked: 0,
}
let canRetry = true
const server = await startServer({
  jobs: false,
  connectors: (simulator) => ({
    simulator: new Proxy(simulator, {
      ownKeys: (target) =>
        Reflect.ownKeys(target).filter((key) => canRetry || key !== 'retryRefund'),
      get(target, key, receiver) {
        if (key !== 'retryRefund') return Reflect.get(target, key, receiver)
        return async (...order: Parameters<NonNullable<typeof target.retryRefund>>) => {
          said.asked += 1
          return said.answer ?? target.retryRefund!(...order)
        }
      },
    }),
  }),
})
const { db, clock } = server
const { pass, bankActs, order } = openBank(server)

afterEach(async () => {
  Object.assign(said, { answer: undefined, asked: 0 })
  canRetry = true
  expect(await findings(server)).toEqual([])
})

const ACCOUNT = { bankCode: '058', accountNumber: '0123456785' }

/** A business with a refund of ₦50.05 that needs attention. */
async function stuck() {
  const opened = await openShop(server)
  const { id } = await opened.paid(100)
  const { reference } = (await opened.refund({ transactionId: id, amount: 50.05 })).body.data
  await pass()
  const retry = (body: object = ACCOUNT, headers?: Record<string, string>) =>
    opened.post(`${REFUNDS}/${reference}/retry`, body, headers)
  const status = async () => (await opened.one(reference)).status as string
  return { ...opened, id, reference, retry, status }
}

describe('POST refunds/{reference}/retry', () => {
  test('200 pays the refund to another account', async () => {
    const { reference, retry, one, wallet, told } = await stuck()
    expect(await one(reference)).toMatchObject({ status: 'NeedsAttention', canRetry: true })
    const { status, body } = await retry({ bank: 58, account_number: '0123456785' })
    expect([status, body.data]).toMatchObject([
      200,
      { status: 'Processing', canRetry: false, canCancel: false },
    ])
    expect(body.data.timeline.at(-1).message).toBe(
      'Sent again, to Guaranty Trust Bank, account ending in 6785',
    )
    await bankActs()
    expect(await one(reference)).toMatchObject({ status: 'Processed' })
    expect((await wallet()).held).toBe(0)
    expect(await told()).toEqual([
      ...['refund.pending', 'refund.needs_attention', 'refund.processed', 'wallet.debited'],
    ])
    expect((await retry()).body.errorCode).toBe('refund_state')
  })

  test('400 for an account that the provider refuses; the refund needs attention again', async () => {
    const { reference, retry, one, told } = await stuck()
    const { status, body } = await retry({ ...ACCOUNT, accountNumber: '0000000002' })
    expect([status, body.errors]).toEqual([
      400,
      { accountNumber: ['was rejected: No such account at this bank.'] },
    ])
    expect(await one(reference)).toMatchObject({
      status: 'NeedsAttention',
      message: 'No such account at this bank.',
      canRetry: true,
    })
    expect(await told()).toEqual([
      ...['refund.pending', 'refund.needs_attention', 'refund.needs_attention'],
    ])
    expect((await retry()).status).toBe(200)
  })

  test('409 if the provider cannot take the account now', async () => {
    const { retry, status } = await stuck()
    said.answer = { kind: 'notNow', code: 'rate_limited', message: 'Later' }
    expect((await retry()).body.errorCode).toBe('refund_not_retried')
    expect(await status()).toBe('NeedsAttention')
  })

  test('200 if the response is lost: a look-up decides', async () => {
    const { retry, status } = await stuck()
    said.answer = { kind: 'unknown', reason: 'timed_out' }
    expect((await retry()).body.data.status).toBe('Processing')
    clock.advance(61_000)
    await order()
    expect(await status()).toBe('NeedsAttention')
    said.answer = undefined
    expect((await retry()).body.data.status).toBe('Processing')
    await bankActs()
    expect(await status()).toBe('Processed')
  })

  test('200 for a repeated request, which asks the provider once', async () => {
    const { retry, status } = await stuck()
    const headers = { 'idempotency-key': 'retry-1' }
    const [first, again] = [await retry(ACCOUNT, headers), await retry(ACCOUNT, headers)]
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body])
    expect([said.asked, await status()]).toEqual([1, 'Processing'])
  })

  test('200 for one of 20, with one request to the provider', async () => {
    const { retry } = await stuck()
    const replies = await times(20, () => untilDone(() => retry()))
    expect(statusesOf(replies)).toEqual({ 200: 1, '409 refund_state': 19 })
    expect(said.asked).toBe(1)
  })

  test.each([
    [{ bankCode: '058' }, 'accountNumber'],
    [{ accountNumber: '0123456785' }, 'bankCode'],
    [{ accountName: 'Ada Obi' }, 'accountNumber'],
    [{ ...ACCOUNT, bankCode: '000' }, 'bankCode'],
    [{ ...ACCOUNT, accountNumber: '12' }, 'accountNumber'],
    [{ ...ACCOUNT, accountName: 'Somebody Else' }, 'accountName'],
    [{ ...ACCOUNT, accountNumber: '0000000005' }, 'accountName'],
  ])('400 for %j', async (body, field) => {
    const { retry, status } = await stuck()
    const reply = await retry(body)
    expect([reply.status, Object.keys(reply.body.errors)]).toEqual([400, [field]])
    expect([await status(), said.asked]).toEqual(['NeedsAttention', 0])
  })

  test('409 in any other state; 404 for another business', async () => {
    const { refund, id, post, retry } = await stuck()
    const other = (await refund({ transactionId: id, amount: 10 })).body.data.reference
    expect((await post(`${REFUNDS}/${other}/retry`, ACCOUNT)).body.errorCode).toBe('refund_state')
    expect((await post(`${REFUNDS}/${other}/retry`, {})).body.errorCode).toBe('refund_state')
    const foreign = await openShop(server)
    const path = `${REFUNDS}/${other}/retry`
    expect((await foreign.post(path, ACCOUNT)).body.errorCode).toBe('refund_not_found')
    expect((await retry()).status).toBe(200)
  })
})

describe('POST refunds/{reference}/retry without an account', () => {
  test('200 if someone has acted at the provider', async () => {
    const { reference, retry, status } = await stuck()
    await db.run`
      update simulator_orders set status = 'Pending' where amount_minor = 5005 and reference =
        (select sent_reference from provider_orders where reference = ${reference})`
    expect((await retry({})).body.data.status).toBe('Processing')
    expect([await status(), said.asked]).toEqual(['Processing', 0])
    await db.run`
      update simulator_orders set status = 'Successful', notify = true where reference =
        (select sent_reference from provider_orders where reference = ${reference})`
    await bankActs()
    expect(await status()).toBe('Processed')
  })

  test('409 if the refund still needs attention', async () => {
    const { retry, status } = await stuck()
    expect((await retry({})).body.errorCode).toBe('refund_account_needed')
    canRetry = false
    expect((await retry({})).body.errorCode).toBe('refund_account_unsupported')
    expect((await retry()).body.errorCode).toBe('refund_account_unsupported')
    expect(await status()).toBe('NeedsAttention')
  })
})

describe('POST refunds/{reference}/cancel', () => {
  async function pending() {
    const opened = await openShop(server)
    const { id } = await opened.shared(100, [30])
    const before = await opened.wallet()
    const { reference } = (await opened.refund({ transactionId: id, amount: 60 })).body.data
    const cancel = () => opened.post(`${REFUNDS}/${reference}/cancel`)
    return { ...opened, id, before, reference, cancel }
  }

  test('200 returns the money to everyone; the refund is never sent', async () => {
    const { id, before, reference, cancel, one, wallet, told, shares, payment } = await pending()
    const held = await shares()
    expect(await one(reference)).toMatchObject({ status: 'Pending', canCancel: true })
    const { status, body } = await cancel()
    expect([status, body.data]).toMatchObject([
      200,
      { status: 'Failed', message: 'Cancelled before it was sent', canCancel: false },
    ])
    expect(await wallet()).toEqual(before)
    expect((await shares())[0]! > held[0]!).toBe(true)
    expect(await payment(id)).toMatchObject({ status: 'Successful', refunding_minor: 0n })
    await pass()
    expect(await told()).toEqual(['refund.pending', 'refund.failed'])
    expect((await cancel()).body.errorCode).toBe('refund_state')
  })

  test('409 once the provider may have it', async () => {
    const { reference, cancel, one } = await pending()
    await order()
    expect(await one(reference)).toMatchObject({ status: 'Processing', canCancel: false })
    expect((await cancel()).body.errorCode).toBe('refund_sent')
    await bankActs()
    expect((await cancel()).body.errorCode).toBe('refund_state')
  })

  test('200 for one of 20, while it is being sent: cancelled or paid, never both', async () => {
    for (let round = 0; round < rounds(6); round++) {
      const { reference, cancel, one, wallet } = await pending()
      const early = round % 2 ? order() : undefined
      const [replies] = await Promise.all([times(20, () => untilDone(cancel)), early ?? order()])
      const wins = statusesOf(replies)[200] ?? 0
      expect(wins).toBeLessThanOrEqual(1)
      await bankActs()
      expect((await one(reference)).status).toBe(wins === 1 ? 'Failed' : 'Processed')
      expect((await wallet()).held).toBe(0)
    }
  })
})
