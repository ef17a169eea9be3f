import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asOwner, callerWith, startServer } from '../../../test/harness.ts'
import { otherProcess } from '../../../test/processes.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { sentReferenceOf } from '../../providers/connector/references.ts'
import { openShop } from './transfers.fixture.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const ACCOUNT = { bankCode: '058', accountNumber: '0123456785' }

const server = await startServer({ jobs: false })
const { db, name, connection } = server

afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

const HOLD = 4_711

/**
 * Counts the orders that reach the provider, including repeated ones. They wait for this lock
 * without a time limit, so that they still do when a slow test has seen it.
 */
beforeAll(() =>
  asOwner(name, async (client) => {
    await client.query(`
      create table sent_orders (reference text);
      grant insert, select on sent_orders to public;
      create function count_sent_order() returns trigger language plpgsql as $$
        begin
          perform set_config('lock_timeout', '0', true);
          perform pg_advisory_xact_lock_shared(${HOLD});
          insert into sent_orders values (new.reference);
          return new;
        end $$;
      create trigger count_sent_order before insert on simulator_orders
        for each row execute function count_sent_order()`)
  }),
)

/** Kills a server while it waits for the provider's response to an order that it has claimed. */
async function killedWhileSending(secret: string, { arrives }: { arrives: boolean }) {
  const { url, child } = await otherProcess(connection, { jobs: true })
  return asOwner(name, async (client) => {
    await client.query(`begin; select pg_advisory_xact_lock(${HOLD})`)
    const { body } = await callerWith(url, secret).post(TRANSFERS, { amount: 1_000, ...ACCOUNT })
    const waiting = () => db.maybe<{ pid: number }>`
      select pid from pg_stat_activity
      where datname = ${name} and wait_event_type = 'Lock'
        and query like '%insert into simulator_orders%'`
    let order: { pid: number } | undefined
    while (!order) order = await waiting()
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
    if (!arrives) await db.one`select pg_terminate_backend(${order.pid}, 1000)`
    await client.query('commit')
    return body.data.reference as string
  })
}

test.each([
  ['and the order arrived, so it is looked up', { arrives: true }],
  ['before the order arrived, so it is sent again', { arrives: false }],
])('a server is killed while it orders a transfer, %s', { timeout: 120_000 }, async (_, how) => {
  const { keys, transfer, wallet, eventTypes } = await openShop(server)
  const reference = await killedWhileSending(keys.testSecret, how)
  const order = () => db.one<{ tries: number; sent_at: Date | null; ended_at: Date | null }>`
    select tries, sent_at, ended_at from provider_orders where reference = ${reference}`
  expect(await order()).toEqual({ tries: 1, sent_at: expect.any(Date), ended_at: null })
  expect(await transfer(reference)).toMatchObject({ status: 'Pending' })
  expect(await wallet()).toMatchObject({ held: 1_010 })
  const sentReference = sentReferenceOf(reference, 1)
  const sent = () => db.many`select reference from sent_orders where reference = ${sentReference}`
  await expect.poll(sent).toHaveLength(how.arrives ? 1 : 0)

  // A minute passes, after which the order is due again.
  await db.run`update provider_orders set sent_at = sent_at - interval '1 minute',
    next_at = next_at - interval '1 minute' where reference = ${reference}`
  await otherProcess(connection, { jobs: true })
  await expect
    .poll(async () => (await transfer(reference)).status, { timeout: 30_000 })
    .toBe('Successful')

  expect(await sent()).toEqual([{ reference: sentReference }])
  expect(await transfer(reference)).toMatchObject({ attempt: 1 })
  expect((await order()).ended_at).toEqual(expect.any(Date))
  expect(await wallet()).toEqual({ available: 1_000_000 - 1_010, held: 0 })
  expect(await eventTypes()).toEqual(['transfer.pending', 'transfer.successful', 'wallet.debited'])
})
