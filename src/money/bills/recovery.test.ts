import { afterAll, describe, expect, test } from 'vitest'
import { startProxy } from '../../../test/db-proxy.ts'
import { callerWith, startSecond, startServer } from '../../../test/harness.ts'
import { openPeople } from '../../app/console.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import type { Caller } from '../../lib/caller.ts'
import { orderJob } from '../../provider-orders/orders.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'
import type { Provider } from '../../providers/connector/types.ts'
import { openProviders } from '../../providers/providers.ts'
import { openSimulator } from '../../providers/simulator/simulator.ts'
import { BEGAN_WITH, PROCESS, shopOn, TOP_UP, UTILITY } from './bills.fixture.ts'
import { pay } from './create.ts'
import { billOrders } from './provider-order.ts'

const server = await startServer({ jobs: false })
const { db, ids, clock } = server
const line = await startProxy(server.connection)
// Its request log would write at any moment, with a statement that also contains `commit`.
const requestLog = { days: 0 }
const far = await startSecond(server, { connection: line.connection, requestLog })

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const simulator = openSimulator({ db, clock, simulatorDelayMs: 20, nudge: () => {} })

/** Pays like the route, with parts of the simulator replaced. */
async function payingBy(habits: Partial<Provider>, late?: () => Promise<unknown>) {
  const shop = await shopOn(server)
  await shop.enquire()
  const provider = { ...simulator, ...habits }
  const errors: string[] = []
  const say = (_fields: object, message: string) => void errors.push(message)
  const log = { info: say, warn: say, error: say }
  const people = openPeople({ ids, clock, nudge: () => {} })
  const deps = {
    db,
    ids,
    clock,
    providers: openProviders(db, { simulator: provider }),
    people,
    log,
  }
  const caller = (): Caller => ({
    ...shop.tenant,
    keyId: 1,
    scopes: null,
    expiresAt: null,
    timeZone: 'Africa/Lagos',
    now: clock.now(),
  })
  const buy = async (paymentReference: string, amount = 500) => {
    const asked = { body: { ...TOP_UP, amount, paymentReference }, fingerprint: Buffer.alloc(32) }
    const answer = (body: object) => ({ status: 200, body: JSON.stringify(body) })
    const paid = await pay(deps, caller(), asked, {
      claim: undefined,
      answer,
      ...(late && { late }),
    })
    return JSON.parse(paid.body)
  }
  const job = orderJob(deps, billOrders(deps))
  const runJob = () => job.run(db, clock.now(), shop.tenant.businessId)
  return { ...shop, buy, runJob, errors }
}

/**
 * A provider that never responds, and the moment it was called, so that tests need not wait longer.
 */
function silence() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const vend = () => {
    resolve()
    return new Promise<never>(() => {})
  }
  return { vend, late: () => promise }
}

describe('a process that ends between the hold and the provider', () => {
  test('200 09; a minute later the provider is asked, and an unknown order is sent', async () => {
    const { buy, runJob, wallet, orders, payment, errors } = await payingBy({
      vend: () => Promise.reject(new Error('The process ended here')),
    })
    expect((await buy('crashed')).responseCode).toBe('09')
    expect(errors).toHaveLength(1)
    expect(await wallet()).toEqual({ available: BEGAN_WITH - 500, held: 500 })
    expect(await orders()).toEqual([])

    // Not due at first; then the provider is reachable again.
    expect(await runJob()).toBe(0)
    clock.advance(60_000)
    await server.runJob('bill-orders')
    const { responseData } = await payment('crashed')
    expect(responseData.status).toBe('Successful')
    expect(await orders()).toEqual([{ reference: responseData.reference, status: 'Successful' }])
    expect(await wallet()).toEqual({ available: BEGAN_WITH - 500, held: 0 })
  })

  test('200 09; an order known to the provider is not sent again', async () => {
    let vended = 0
    const { buy, runJob, orders, payment } = await payingBy({
      async vend(about, order) {
        vended++
        await simulator.vend(about, order)
        throw new Error('The answer was lost')
      },
    })
    expect((await buy('unheard')).responseCode).toBe('09')
    clock.advance(60_000)
    expect(await runJob()).toBe(1)
    expect((await payment('unheard')).responseData.status).toBe('Successful')
    expect([vended, (await orders()).length]).toEqual([1, 1])
  })

  test('200 09; the job’s order can be refused, and the money is back', async () => {
    const { buy, wallet, payment } = await payingBy({
      vend: () => Promise.reject(new Error('The process ended here')),
    })
    await buy('refused', 500.01)
    clock.advance(60_000)
    await server.runJob('bill-orders')
    expect((await payment('refused')).responseData.status).toBe('Failed')
    expect(await wallet()).toEqual({ available: BEGAN_WITH, held: 0 })
  })

  test('200 for an order whose process died: a notification reports its end', async () => {
    const { vend, late } = silence()
    const { buy, payment, eventTypes } = await payingBy({ vend }, late)
    const { responseData } = await buy('orphan')
    const { reference } = responseData
    await db.run`
      insert into simulator_orders (business_id, live, reference, kind, account_number,
        package_slug, amount_minor, currency, status, message, due_at, due_status, due_message,
        created_at)
      select business_id, live, ${sentReferenceOf(reference, 1)}, 'VEND', customer_id,
        package_slug, amount_minor, currency, 'Pending', '', created_at, 'Successful', 'Delivered',
        created_at
      from utility_payments where reference = ${reference}`
    await server.runJob('simulator')
    expect((await payment('orphan')).responseData.status).toBe('Successful')
    expect(await eventTypes()).toEqual(['utility.pending', 'utility.successful', 'wallet.debited'])
  })
})

describe('a provider that does not respond', () => {
  test('409 if not even the first commit was done in time, and the request can be repeated', async () => {
    const { buy, wallet } = await payingBy({}, () => Promise.resolve())
    await expect(buy('slow')).rejects.toMatchObject({
      kind: 'conflict',
      code: 'request_in_progress',
    })
    // The request continues anyway.
    await expect.poll(wallet, { timeout: 20_000 }).toEqual({ available: BEGAN_WITH - 500, held: 0 })
  })

  test('200 09 in time, and the money stays on hold until the provider responds', async () => {
    const { vend, late } = silence()
    const lookUpVend: Provider['lookUpVend'] = async () => ({
      kind: 'unknown',
      reason: 'timed_out',
    })
    const { buy, runJob, wallet, payment } = await payingBy({ vend, lookUpVend }, late)
    expect((await buy('silent')).responseCode).toBe('09')
    for (let minute = 1; minute <= 3; minute++) {
      clock.advance(10 * 60_000)
      expect(await runJob()).toBe(1)
    }
    expect((await payment('silent')).responseCode).toBe('09')
    expect(await wallet()).toEqual({ available: BEGAN_WITH - 500, held: 500 })
  })

  test('200 09 for a refused look-up, which decides nothing', async () => {
    const { buy, runJob, payment } = await payingBy({
      vend: async () => ({ kind: 'unknown', reason: 'timed_out' }),
      lookUpVend: async () => ({ kind: 'refused', code: 'bad_request', message: 'Busy' }),
    })
    await buy('busy')
    clock.advance(60_000)
    expect(await runJob()).toBe(1)
    expect((await payment('busy')).responseCode).toBe('09')
  })

  test('200 for a run: an order that cannot be looked up does not delay the others', async () => {
    const broken = await payingBy({
      vend: async () => ({ kind: 'unknown', reason: 'timed_out' }),
      lookUpVend: (about, sent) =>
        sent.reference === sentReferenceOf(first, 1)
          ? Promise.reject(new Error('The line is down'))
          : simulator.lookUpVend(about, sent),
    })
    const first = (await broken.buy('first')).responseData.reference
    await broken.buy('second')
    clock.advance(60_000)
    expect(await broken.runJob()).toBe(2)
    expect(broken.errors).toEqual(['an order failed; it will be looked up again'])
    expect((await broken.payment('first')).responseCode).toBe('09')
    // Ordered at last, by the same vend, without a response.
    expect((await broken.payment('second')).responseCode).toBe('09')
  })

  test('500 if it refuses in time; a person looks at a later delivery', async () => {
    const { tenant, buy, wallet, payment } = await shopOn(server)
    const { status } = await buy({ amount: 500.01, paymentReference: 'changed' })
    expect(status).toBe(500)
    await db.run`
      update simulator_orders set status = 'Successful', notify = true
      where reference = (
        select sent_reference from provider_orders
        join utility_payments using (business_id, live, reference)
        where payment_reference = 'changed')`
    await server.runJob('simulator')
    expect((await payment('changed')).responseCode).toBe('06')
    expect(await wallet()).toEqual({ available: BEGAN_WITH, held: 0 })
    const differences = await db.many<{ evidence: unknown }>`
      select evidence from provider_differences where business_id = ${tenant.businessId}`
    expect(differences).toHaveLength(1)
    expect(JSON.stringify(differences)).not.toContain(TOP_UP.customerId)
  })
})

describe('a database connection lost during a payment', () => {
  /** Replaces dead connections of the pool by using all of them at once. */
  const mended = (remote: ReturnType<typeof callerWith>) =>
    expect
      .poll(
        async () => {
          const asked = Array.from({ length: 12 }, () => remote.get(`${UTILITY}/transactions/none`))
          return new Set((await Promise.all(asked)).map(({ status }) => status))
        },
        { timeout: 20_000 },
      )
      .toEqual(new Set([404]))

  async function lostAt(cut: 'cutAfter' | 'cutBefore', bytes: string) {
    const shop = await shopOn(server)
    await shop.enquire()
    const remote = callerWith(far.url, shop.keys.testSecret)
    const body = { ...TOP_UP, paymentReference: 'lost' }
    // Authenticate first, because that writes and would be cut too.
    expect((await remote.get(`${UTILITY}/categories`)).status).toBe(200)
    const isCut = line[cut](bytes)
    const answered = remote.post(PROCESS, body)
    await isCut
    line.restore()
    const answer = await answered
    await mended(remote)
    return { ...shop, remote, body, answer }
  }

  test.each(['commit', 'utility.successful'])(
    '200 09, never 500, if the response to %j is lost; it is bought once',
    async (bytes) => {
      const { answer, remote, body, wallet, orders } = await lostAt('cutAfter', bytes)
      expect([answer.status, answer.body.responseCode]).toEqual([200, '09'])
      const again = await remote.post(PROCESS, body)
      expect([again.status, again.body.responseCode]).toEqual([200, '09'])
      expect(again.body.responseData.reference).toBe(answer.body.responseData.reference)

      clock.advance(61_000)
      await server.runJob('bill-orders')
      const settled = await remote.post(PROCESS, body)
      expect([settled.status, settled.body.responseCode]).toEqual([200, '00'])
      expect(await orders()).toHaveLength(1)
      expect(await wallet()).toEqual({ available: BEGAN_WITH - 500, held: 0 })
    },
    30_000,
  )

  test('503 if the commit never arrived: there is no payment, and nothing is on hold', async () => {
    const { answer, remote, body, wallet, payment, enquire } = await lostAt('cutBefore', 'commit')
    expect([answer.status, answer.body]).toMatchObject([503, { error: true }])
    expect(await payment(body.paymentReference)).toMatchObject({ error: true })
    expect(await wallet()).toEqual({ available: BEGAN_WITH, held: 0 })
    await enquire()
    const again = await remote.post(PROCESS, body)
    expect([again.status, again.body.responseCode]).toEqual([200, '00'])
  }, 30_000)

  test('409 if it is unknown whether it was stored, and a repeat finds it', async () => {
    const shop = await shopOn(server)
    await shop.enquire()
    const remote = callerWith(far.url, shop.keys.testSecret)
    const body = { ...TOP_UP, paymentReference: 'unsaid' }
    expect((await remote.get(`${UTILITY}/categories`)).status).toBe(200)
    const cutOff = async () => {
      void line.cutAfter('commit')
      const answer = await remote.post(PROCESS, body)
      line.restore()
      await mended(remote)
      return answer
    }
    const first = await cutOff()
    // If the line was cut at the commit of something earlier, nothing was done.
    const answer = first.status === 503 ? await cutOff() : first
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([409, true])
    const again = await remote.post(PROCESS, body)
    expect([again.status, again.body.responseCode]).toEqual([200, '09'])
    expect(await shop.orders()).toEqual([])
  }, 30_000)

  test('200, 409 or 503, never 500, if a repeat loses the connection', async () => {
    const { keys, buy, payment } = await shopOn(server)
    const remote = callerWith(far.url, keys.testSecret)
    const body = { ...TOP_UP, paymentReference: 'bought' }
    await buy(body)
    const key = { 'idempotency-key': 'bought' }
    const pending = { ...TOP_UP, amount: 500.04, paymentReference: 'waits' }
    expect((await remote.post(PROCESS, pending, key)).body.responseCode).toBe('09')
    const repeat = async (asked: object, headers = {}) => {
      void line.cutAfter('commit')
      const answer = await remote.post(PROCESS, asked, headers)
      line.restore()
      await mended(remote)
      return answer
    }
    const bought = await repeat(body)
    if (bought.status !== 503) {
      expect([bought.status, bought.body]).toEqual([200, await payment('bought')])
    }
    const waits = await repeat(pending, key)
    // 503 if the connection was lost before the claim was checked: this request did nothing.
    expect([409, 503]).toContain(waits.status)
    expect((await remote.post(PROCESS, pending, key)).body.responseCode).toBe('09')
  }, 60_000)

  test('503 if it is lost before anything was stored: nothing was done', async () => {
    const { answer, remote, wallet, enquire } = await lostAt('cutAfter', 'utility.pending')
    expect([answer.status, answer.body]).toMatchObject([503, { error: true }])
    expect(await wallet()).toEqual({ available: BEGAN_WITH, held: 0 })
    await enquire()
    const { status } = await remote.post(PROCESS, { ...TOP_UP, paymentReference: 'lost' })
    expect(status).toBe(200)
  }, 30_000)
})
