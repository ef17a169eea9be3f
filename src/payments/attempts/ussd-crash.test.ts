import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { asOwner, callerWith, startServer } from '../../../test/harness.ts'
import { otherProcess } from '../../../test/processes.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'
import { openShop, USSD } from './ussd.fixture.ts'

const server = await startServer({ jobs: false })
const { db, clock, name, connection } = server

afterAll(async () => expect(await findings(server)).toEqual([]))

/** Counts the orders that reach the provider, including repeated ones. */
beforeAll(() =>
  asOwner(name, async (client) => {
    await client.query(`
      create table sent_orders (reference text);
      grant insert, select on sent_orders to public;
      create function count_sent_order() returns trigger language plpgsql as $$
        begin insert into sent_orders values (new.reference); return new; end $$;
      create trigger count_sent_order after insert on simulator_orders
        for each row execute function count_sent_order()`)
  }),
)

const CHARGE = { channel: 'USSD', amount: 1_000 }
const CHARGES = 3
const keyOf = (i: number) => ({ 'idempotency-key': `charge-${i}` })

/** Kills a server that has committed a batch of charges and waits for the provider's response. */
async function killedWhileCalling(secret: string, { arrives }: { arrives: boolean }) {
  const { began } = await db.one<{ began: string }>`select clock_timestamp()::text as began`
  // However slow this machine is, the order waits until the test has ended the lock.
  const { url, child } = await otherProcess(connection, { lockMs: 8_000 })
  await asOwner(name, async (client) => {
    await client.query('begin; lock table simulator_orders in exclusive mode')
    const { post } = callerWith(url, secret)
    const replies = Array.from({ length: CHARGES }, (_, i) => post(USSD, CHARGE, keyOf(i)))
    const lost = Promise.allSettled(replies)
    const waiting = () => db.maybe<{ pid: number }>`
      select pid from pg_stat_activity
      where datname = ${name} and wait_event_type = 'Lock'
        and query like '%insert into simulator_orders%'`
    while (!(await waiting()));
    const { pid } = (await waiting())!
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
    expect((await lost).map(({ status }) => status)).toEqual(Array(CHARGES).fill('rejected'))
    if (!arrives) await db.one`select pg_terminate_backend(${pid}, 1000)`
    await client.query('commit')
  })
  // PostgreSQL finishes statements whose client was killed, and they can write another batch.
  const remaining = () => db.many`
    select pid from pg_stat_activity
    where datname = ${name} and application_name = 'tradepost'
      and backend_start >= ${began}::timestamptz`
  await expect.poll(remaining).toEqual([])
}

async function shopAfterCrash(how: { arrives: boolean }) {
  const shop = await openShop(server)
  await killedWhileCalling(shop.keys.testSecret, how)
  const rows = () => db.many<{ id: number; reference: string; status: string; codes: boolean }>`
    select id, reference, status, ussd_codes is not null as codes
    from transactions where business_id = ${shop.businessId} order by id`
  const begun = await rows()
  // Requests that arrive after the batch is written wait for the next one.
  expect(begun.length).toBeGreaterThan(0)
  expect(begun.map(({ status, codes }) => [status, codes])).toEqual(
    begun.map(() => ['Pending', false]),
  )
  const sent = () => db.many<{ reference: string }>`
    select reference from sent_orders
    where reference in (select sent_reference from provider_orders
      where business_id = ${shop.businessId})
    order by reference`
  const expected = sentFor(begun)
  if (how.arrives) await expect.poll(async () => (await sent()).length).toBeGreaterThan(0)
  else expect(await sent()).toEqual([])
  return { ...shop, begun, rows, sent, expected }
}

const sentFor = (rows: readonly { reference: string }[]) =>
  rows
    .map(({ reference }) => ({ reference: sentReferenceOf(reference, 1) }))
    .sort((a, b) => (a.reference < b.reference ? -1 : 1))

const HOW = [
  ['after its order arrived', { arrives: true }],
  ['before its order arrived', { arrives: false }],
] as const

test.each(HOW)(
  '200 continues a payment whose server was killed %s',
  { timeout: 120_000 },
  async (_, how) => {
    const { post, begun, rows, sent } = await shopAfterCrash(how)
    for (let i = 0; i < CHARGES; i++) {
      const { status, body } = await post(USSD, CHARGE, keyOf(i))
      expect([status, body.data.ussdCode]).toEqual([200, expect.stringMatching(/^\*/)])
      const again = await post(USSD, CHARGE, keyOf(i))
      expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([body, 'true'])
    }
    const all = await rows()
    expect(all).toHaveLength(CHARGES)
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(begun.map(({ id }) => id)))
    expect(await sent()).toEqual(sentFor(all))
  },
)

test.each(HOW)(
  'a server is killed %s: the job continues it',
  { timeout: 120_000 },
  async (_, how) => {
    const { rows, sent, expected, available } = await shopAfterCrash(how)
    const before = await available()
    clock.advance(61_000)
    for (const job of ['charge-orders', 'simulator']) await server.runJob(job)
    clock.advance(61_000)
    for (const job of ['simulator', 'charge-orders']) await server.runJob(job)
    expect((await rows()).map(({ status }) => status)).toEqual(expected.map(() => 'Successful'))
    expect(await sent()).toEqual(expected)
    expect(await available()).toBe(before + expected.length * 98_500)
  },
)
