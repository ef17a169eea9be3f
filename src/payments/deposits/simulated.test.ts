import { expect, test } from 'vitest'
import { findings, findingsWithin } from '../../../test/corruption/findings.ts'
import { startServer, undone } from '../../../test/harness.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import { balancesIn } from '../../money/wallet/wallet.fixture.ts'
import { openShop as openCheckouts } from '../../sales/checkout/checkout.fixture.ts'
import { depositChecks } from './audit.ts'

/* Payments that the simulated provider keeps if they are not accepted. */

const DEPOSITS = '/api/transaction-service/external/v1/deposits'
const VERIFY = '/api/transaction-service/external/v1/transactions/verify'

const server = await startServer({ jobs: false })

/** A business with an account for a checkout of ₦2,000. */
async function openShop() {
  const shop = await openCheckouts(server)
  const { reference } = await shop.begun({ amount: 2_000 })
  const { body } = await shop.account(reference)
  const { accountNumber, transactionId } = body.data
  const { reference: transaction } = await shop.transaction(transactionId)
  const pay = async (amount: number, keep = true) =>
    (await shop.post('/api/simulator/deposit', { accountNumber, amount, keep })).body.data
  const decide = (deposit: string, what: 'return' | 'accept') =>
    shop.post(`${DEPOSITS}/${deposit}/${what}`)
  const found = async (query: object) => {
    const { body } = await shop.get(`${DEPOSITS}?${new URLSearchParams({ ...query })}`)
    return body.data as { reference: string; returnStatus: string | null }[]
  }
  return { ...shop, accountNumber, transaction, pay, decide, found }
}

test('200 a held payment can be found, and is returned', async () => {
  const { businessId, accountNumber, pay, decide, found, get } = await openShop()
  expect(await pay(700, false)).toMatchObject({ returnStatus: 'ReturnedByProvider' })
  const held = await pay(500)
  expect(held).toMatchObject({
    status: 'Rejected',
    accepted: false,
    reason: 'amount_too_low',
    returnStatus: 'Held',
  })
  const { reference } = held
  expect(await found({ returnStatus: 'held' })).toMatchObject([{ reference }])
  expect(await found({ returnStatus: 'Held', status: 'Rejected' })).toHaveLength(1)
  expect(await found({ returnStatus: 'Held', status: 'Accepted' })).toEqual([])
  expect(await found({ returnStatus: 'Returned' })).toEqual([])
  expect((await get(`${DEPOSITS}?returnStatus=kept`)).body.errors).toHaveProperty('returnStatus')
  expect((await get(`${DEPOSITS}/export?returnStatus=Held`)).text).toContain(reference)

  const owner = await memberOf(server, 'owner', businessId)
  const search = async (q: string) => (await owner.get(`/console/search?q=${q}`)).body.data
  expect(await search(reference)).toMatchObject([
    { kind: 'Deposit', path: `deposits/${reference}`, detail: `₦500.00 · Held · ${reference}` },
  ])
  const kinds = (await search(accountNumber)).map(({ kind }: { kind: string }) => kind)
  expect(kinds.sort()).toEqual(['Deposit', 'Deposit', 'Virtual account'])

  const { activity } = (await owner.get('/console/overview')).body.data
  expect(activity.slice(0, 2)).toMatchObject([
    { type: 'deposit.held', who: 'ADA OBI', amount: 500, path: `deposits/${reference}` },
    { type: 'bank.transfer.rejected', who: 'FATIMA BELLO', amount: 700 },
  ])
  const booked = (await owner.get(`/console/ledger?reference=${reference}`)).body.data
  expect(booked).toMatchObject([
    { amount: 500, cause: { type: 'deposit', reference }, to: { kind: 'unallocated' } },
  ])

  expect((await decide(reference, 'return')).body.data.returnStatus).toBe('Returning')
  // An order that no job finds would be lost.
  const lost = await undone(server.name, async (client) => {
    await client.query("update provider_orders set next_at = null where kind = 'deposit_return'")
    return findingsWithin(client, depositChecks)
  })
  expect(lost).toMatchObject([{ check: 'deposit_return-orders', table: 'deposits' }])
  await expect
    .poll(
      async () => {
        server.clock.advance(120_000)
        for (const job of ['deposit_return-orders', 'simulator']) await server.runJob(job)
        return (await found({ search: reference }))[0]!.returnStatus
      },
      { timeout: 30_000, interval: 10 },
    )
    .toBe('Returned')
  expect(await findings(server)).toEqual([])
})

test('409 a held payment that is too small for a checkout cannot be accepted', async () => {
  const { businessId, pay, decide, transaction, get, found } = await openShop()
  const { reference } = await pay(500)
  const before = await balancesIn(server.db, { businessId })
  expect((await decide(reference, 'accept')).body.errorCode).toBe('deposit_not_acceptable')
  expect(await balancesIn(server.db, { businessId })).toEqual(before)
  expect((await get(`${VERIFY}/${transaction}`)).body.data).toMatchObject({ status: 'Pending' })
  expect(await found({ returnStatus: 'Held' })).toHaveLength(1)
  expect(await pay(2_000)).toMatchObject({ accepted: true })
  expect(await findings(server)).toEqual([])
})

test('200 a held payment is accepted; one that fits is accepted at once', async () => {
  const high = await openShop()
  const { reference } = await high.pay(2_100)
  expect((await high.decide(reference, 'accept')).body.data).toMatchObject({
    status: 'Accepted',
    returnStatus: null,
  })
  expect((await high.get(`${VERIFY}/${high.transaction}`)).body.data).toMatchObject({
    status: 'Successful',
    paidAmount: 2_100,
    overpaidAmount: 100,
  })
  const exact = await openShop()
  expect(await exact.pay(2_000)).toMatchObject({ accepted: true, returnStatus: null })
  expect(await findings(server)).toEqual([])
})
