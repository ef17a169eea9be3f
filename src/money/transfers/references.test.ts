import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { addMs } from '../../lib/clock.ts'

const TRANSFERS = '/api/transaction-service/external/v1/transfers'
const ACCOUNT = { bankCode: '058', accountNumber: '0123456785' }

const server = await startServer({ jobs: false })

async function shop() {
  const { keys, businessId } = await server.newBusiness()
  const { get, post } = server.as(keys.testSecret)
  const send = (more: object, headers?: Record<string, string>) =>
    post(TRANSFERS, { amount: 1_000, ...ACCOUNT, ...more }, headers)
  const count = async () => {
    const { n } = await server.db.one<{ n: number }>`
      select count(*) as n from transfers where business_id = ${businessId}`
    return n
  }
  return { businessId, get, send, count }
}

describe('the reference of a transfer', () => {
  test.each(['reference', 'transferReference'])('201 is stored when sent as %s', async (name) => {
    const { get, send } = await shop()
    const { status, body } = await send({ [name]: 'payout-1' })
    expect([status, body.data.transferReference]).toEqual([201, 'payout-1'])
    expect(body.data.reference).toMatch(/^TRF_/)
    expect((await get(`${TRANSFERS}/payout-1`)).body.data.id).toBe(body.data.id)
  })

  test('409 pays once under either field name, and names the transfer with the reference', async () => {
    const { send, count } = await shop()
    const first = (await send({ reference: 'payout-1' })).body.data.reference
    for (const name of ['reference', 'transferReference']) {
      // The balance is checked later.
      for (const amount of [1_000, 9_000_000]) {
        const { status, body } = await send({ amount, [name]: 'payout-1' })
        expect([status, body.errorCode]).toEqual([409, 'transfer_reference_used'])
        expect(body.errors).toEqual({
          [name]: [`has already been used by ${first}, which is Pending`],
        })
        expect(body.message).toBe(`${name} has already been used by ${first}, which is Pending`)
      }
    }
    expect(await count()).toBe(1)
    // Another business has its own references.
    expect((await (await shop()).send({ reference: 'payout-1' })).status).toBe(201)
  })

  test('409 for all but one of many concurrent requests', async () => {
    const { send, count } = await shop()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        untilDone(() => send({ [i % 2 ? 'reference' : 'transferReference']: 'payout-1' })),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
    expect(await count()).toBe(1)
  })

  test('400 names both when they differ; 201 when they are equal', async () => {
    const { send, count } = await shop()
    const { status, body } = await send({ reference: 'payout-1', transferReference: 'payout-2' })
    expect([status, body.errors]).toEqual([
      400,
      { reference: ['differs from transferReference; send only one of them'] },
    ])
    expect(await count()).toBe(0)
    expect((await send({ reference: 'payout-3', transferReference: 'payout-3' })).status).toBe(201)
  })

  test('400 names the field as it was sent', async () => {
    const { send } = await shop()
    const { status, body } = await send({ reference: 'TRF_0123456789abcdefghij' })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['reference']])
  })

  test('201 replays with an Idempotency-Key under either name', async () => {
    const { send, count } = await shop()
    const headers = { 'idempotency-key': 'pay-ada' }
    const first = await send({ reference: 'payout-1' }, headers)
    const again = await send({ transferReference: 'payout-1' }, headers)
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(await count()).toBe(1)
  })

  test('201 replays a key stored by an older version, which distinguished 58 from 058', async () => {
    const { businessId, send, count } = await shop()
    const asked = '{accountNumber:"0123456785",amount:100000,bankCode:"58",currency:"NGN",}\n'
    const stored = { status: 201, body: '{"data":{"reference":"TRF_of_then"}}' }
    const now = server.clock.now()
    await server.db.run`
      insert into idempotency_keys (business_id, live, scope, key, fingerprint, status, body,
        created_at, expires_at)
      values (${businessId}, false, 'POST transaction-service/transfers', 'of-then',
        ${hash('sha256', asked, 'buffer')}, ${stored.status}, ${Buffer.from(stored.body)},
        ${now}, ${addMs(now, 3_600_000)})`
    const headers = { 'idempotency-key': 'of-then' }
    const again = await send({ bankCode: '58' }, headers)
    expect([again.status, again.text]).toEqual([stored.status, stored.body])
    expect((await send({ bankCode: '044' }, headers)).status).toBe(422)
    expect(await count()).toBe(0)
  })
})
