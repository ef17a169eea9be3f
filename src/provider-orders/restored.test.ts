import { afterAll, beforeEach, expect, test } from 'vitest'
import { allChecks } from '../audit.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { commandsOn } from '../cli/cli.fixture.ts'
import { runAudit } from '../ledger/audit.ts'
import { openShop as senderOn } from '../money/transfers/transfers.fixture.ts'
import type { Outcome } from '../providers/connector/types.ts'
import { routesApply } from '../providers/providers.fixture.ts'
import { assumeSent } from './attempts.ts'
import { MINUTE, notFound, openTwoBanks, unknown } from './two-banks.fixture.ts'

/* What a payout may have done since the backup that was restored: it may have moved to another
 * connection, which only this business's other connection knows. */

const { server, withAccounts } = await openTwoBanks()
const { db, clock, runJob } = server
const { json, tradepost } = commandsOn(server.name)

const found = (state: object) =>
  ({ kind: 'done', value: { message: 'Found', ...state } }) as unknown as Outcome<never>

// Commands use the real time.
beforeEach(() => clock.reset())
afterAll(async () => expect(await runAudit(db, allChecks)).toEqual([]))

/** A transfer whose backup is restored, in a business with these accounts. */
async function restoredTransfer(
  names: readonly ('paystack' | 'flutterwave')[],
  { wasSent = false, routesTo = names.length } = {},
) {
  const shop = await withAccounts(await senderOn(server), names)
  const { businessId, send, answer, connectionIds } = shop
  const others = connectionIds.slice(routesTo)
  await db.run`delete from provider_routes where connection_id = any(${others}::bigint[])`
  await routesApply()
  answer({ 'paystack payOut': unknown, 'paystack lookUpPayout': notFound })
  const reference = await send()
  if (wasSent) await runJob('transfer-orders')
  const before = shop.asked().length
  const made = clock.now()
  const counts = await db.transaction((tx) =>
    assumeSent(tx, { businessId, live: false }, made, clock.now()),
  )
  const pass = async () => {
    for (let i = 0; i < 4; i++) {
      clock.advance(11 * MINUTE)
      await runJob('transfer-orders')
    }
  }
  const { id } = await db.one<{ id: number }>`
    select id from transfers where business_id = ${businessId} and reference = ${reference}`
  const status = async () => (await shop.transfer(reference)).status
  const asked = () => shop.asked().slice(before)
  return { ...shop, id, reference, counts, pass, status, asked }
}

test.each([
  ['unsent', false],
  ['sent, with an unknown outcome', true],
])('a payout that the backup has as %s waits for a person', async (_, wasSent) => {
  const accounts = ['paystack', 'flutterwave'] as const
  const shop = await restoredTransfer(accounts, { wasSent })
  const { businessId, id, reference, counts, pass, status, asked, attention, answer } = shop
  expect(counts).toEqual({ orders: wasSent ? 0 : 1, held: 1 })
  await pass()
  expect(new Set(asked())).toEqual(new Set(['paystack lookUpPayout']))
  expect([await status(), await attention()]).toEqual(['Pending', 'not_found'])
  const listed = await json('stuck', 'list', '--business', String(businessId), '--kind', 'order')
  expect(listed).toMatchObject([{ id: `order:transfer:${id}`, reference, state: 'not_found' }])
  const member = await memberOf(server, 'owner', businessId)
  const { body } = await member.get('/console/unresolved')
  expect(body.data).toMatchObject([{ reference, decisions: ['paid', 'not_paid', 'send_again'] }])

  // The person knows that no provider has it.
  await member.post('/console/reauthenticate', { password: member.password })
  const decision = { decision: 'send_again', reason: 'I asked both' }
  const path = `/console/unresolved/transfer/${id}/resolve`
  expect((await member.post(path, decision)).status).toBe(200)
  answer({})
  await runJob('transfer-orders')
  expect(asked().at(-1)).toBe('paystack payOut')
  expect(await attention()).toBeNull()
})

test('a payout waits for a person even if the other connection had no route', async () => {
  const shop = await restoredTransfer(['paystack', 'flutterwave'], { routesTo: 1 })
  expect(shop.counts).toEqual({ orders: 1, held: 1 })
  await shop.pass()
  expect(new Set(shop.asked())).toEqual(new Set(['paystack lookUpPayout']))
  expect(await shop.attention()).toBe('not_found')
})

test('a payout that its provider has found ends by itself', async () => {
  const { pass, status, attention, answer } = await restoredTransfer(['paystack', 'flutterwave'])
  await pass()
  answer({ 'paystack lookUpPayout': found({ status: 'Successful' }) })
  await pass()
  expect([await status(), await attention()]).toEqual(['Successful', null])
})

test('a payout that failed for want of money is not ordered again by itself', async () => {
  const shop = await restoredTransfer(['paystack', 'flutterwave'], { wasSent: true })
  const { id, pass, orders, attention, answer, status } = shop
  const notNow = 'insufficient_provider_balance'
  answer({ 'paystack lookUpPayout': found({ status: 'Failed', notNow }) })
  await pass()
  expect(await orders('transfer')).toEqual(['paystack null'])
  expect([await status(), await attention()]).toEqual(['Pending', 'not_found'])
  const reason = 'Neither bank has paid it'
  const ended = await tradepost('stuck', 'fail', `order:transfer:${id}`, '--reason', reason)
  expect([ended.status, await attention()]).toEqual([0, null])
})

test('a business with one connection sends again what never arrived', async () => {
  const { counts, pass, asked, attention } = await restoredTransfer(['paystack'])
  expect(counts).toEqual({ orders: 1, held: 0 })
  await pass()
  expect(asked()).toContain('paystack payOut')
  expect(await attention()).not.toBe('not_found')
})

test('a payout that is ordered again is looked up first, as that may have been done before', async () => {
  const shop = await restoredTransfer(['paystack'], { wasSent: true })
  const { orders, pass, asked, status, answer } = shop
  await db.run`
    insert into restores (first_id, events_skipped, restored_to, restored_at)
    select last_value + 1000, 1, ${clock.now()}, ${clock.now()} from ids`
  const notNow = 'insufficient_provider_balance'
  const states = [{ status: 'Failed', notNow }, { status: 'Successful' }]
  answer({ 'paystack lookUpPayout': async () => found(states.shift() ?? {}) })
  await pass()
  expect(asked()).toEqual(['paystack lookUpPayout', 'paystack lookUpPayout'])
  expect(await orders('transfer')).toEqual(['paystack Failed', 'paystack Successful'])
  expect(await status()).toBe('Successful')
})
