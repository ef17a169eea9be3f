import { describe, expect, test } from 'vitest'
import { FAR_MS, times, untilDone } from '../../../test/concurrency.ts'
import { findings } from '../../../test/corruption/findings.ts'
import { startProxy } from '../../../test/db-proxy.ts'
import { callerWith, startSecond, startServer } from '../../../test/harness.ts'
import { splitPageFor } from './service.ts'

const SERVICE = '/api/transaction-service/external/v1'
const PATH = `${SERVICE}/split-page`

const server = await startServer({ jobs: false })
const { db } = server

/** A business with a page and some subaccounts, for one test. */
async function shop({
  subaccounts: count = 2,
  ...page
}: {
  subaccounts?: number
  splitType?: string
} = {}) {
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const codes: string[] = []
  for (let i = 0; i < count; i++) {
    const fields = { business_name: `No ${i}`, account_number: '0123456789', percentage_charge: 5 }
    codes.push((await caller.post(`${SERVICE}/subaccounts`, fields)).body.subaccount_code)
  }
  const { data } = (await caller.post(PATH, { name: `Dues of ${businessId}`, ...page })).body
  const at = `${PATH}/${data.id}`
  const add = (body: object, headers?: Record<string, string>) =>
    caller.post(`${at}/subaccount/add`, body, headers)
  const remove = (body: object) => caller.post(`${at}/subaccount/remove`, body)
  const seen = async () => (await caller.get(at)).body.data
  const eventsOf = () => db.many<{ type: string; sequence: number; data: string }>`
    select type, sequence, data::text as data from events
    where business_id = ${businessId} and object_id = ${data.id} order by sequence`
  const [one = '', two = ''] = codes
  const live = server.as(keys.liveSecret)
  return {
    ...caller,
    live,
    keys,
    businessId,
    id: data.id as number,
    at,
    codes,
    one,
    two,
    add,
    remove,
    seen,
    eventsOf,
  }
}

describe('add', () => {
  test('201 returns exactly the share and the subaccount, for either field name', async () => {
    const { add, one, two, seen, eventsOf } = await shop()
    const first = await add({ shere: 30, sub_account_id: one })
    expect([first.status, first.text]).toEqual([201, `{"share":30,"subaccount":"${one}"}`])
    const second = await add({ share: 70, subaccount: two })
    expect([second.status, second.body]).toEqual([201, { share: 70, subaccount: two }])
    const record = await seen()
    expect(record).toMatchObject({
      totalShare: 100,
      subaccounts: [
        { subaccount: one, share: 30, business_name: 'No 0' },
        { subaccount: two, share: 70, business_name: 'No 1' },
      ],
    })
    const events = await eventsOf()
    expect(events.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['split_page.created', 1],
      ['split_page.updated', 2],
      ['split_page.updated', 3],
    ])
    expect(JSON.parse(events[2]!.data)).toEqual(record)
  })

  test('201 again changes the share, and sends no event if it stays the same', async () => {
    const { add, one, two, seen, eventsOf, businessId, id } = await shop()
    for (const share of [60, 100, 100, 40])
      expect((await add({ share, subaccount: one })).status).toBe(201)
    expect((await add({ share: 60, subaccount: two })).status).toBe(201)
    expect((await add({ share: 41, subaccount: one })).status).toBe(400)
    expect((await seen()).totalShare).toBe(100)
    expect(await eventsOf()).toHaveLength(5)
    const page = await splitPageFor(db, { businessId, live: false }, id)
    expect(page).toMatchObject({
      id,
      active: true,
      splitType: 'percentage',
      currency: 'NGN',
      feeBearer: null,
    })
    expect(page!.shares.map(({ share }) => share)).toEqual([40, 60])
    expect(await splitPageFor(db, { businessId, live: true }, id)).toBeUndefined()
  })

  test('201 in naira on a fixed page, above a hundred', async () => {
    const { add, one, two, seen } = await shop({ splitType: 'fixed' })
    await add({ shere: 1_500, sub_account_id: one })
    await add({ shere: 100_000_000_000, sub_account_id: two })
    expect((await seen()).totalShare).toBe(100_000_001_500)
  })

  test.each<[string, object]>([
    ['shere is required', {}],
    ['shere is required', { shere: undefined }],
    ['shere is required', { shere: null }],
    ['shere must be a whole number', { shere: '5' }],
    ['shere must be a whole number', { shere: 1.5 }],
    ['shere must be at least 1', { shere: 0 }],
    ['share must be at least 1', { share: -5 }],
    ['shere would bring the page’s shares to 101%', { shere: 101 }],
    ['share would bring the page’s shares to 101%', { share: 101 }],
    ['shere must be at most 100000000000', { shere: 100_000_000_001 }],
    ['shere must be at most 100000000000', { shere: 1e300 }],
    ['shere differs from share; send only one of them', { shere: 5, share: 6 }],
    ['sub_account_id is required', { shere: 5, sub_account_id: undefined }],
    ['sub_account_id is required', { shere: 5, sub_account_id: null }],
    ['sub_account_id must be a string', { shere: 5, sub_account_id: 7 }],
    ['sub_account_id must not be empty', { shere: 5, sub_account_id: '' }],
    ['sub_account_id must have at most 64', { shere: 5, sub_account_id: 'x'.repeat(65) }],
    [
      'sub_account_id differs from subaccount; send only one of them',
      { shere: 5, subaccount: 'ACCT_other' },
    ],
  ])('400 as text: %s, for %j', async (says, body) => {
    const { add, one, seen } = await shop()
    const refused = await add({ sub_account_id: one, ...body })
    expect(refused.status).toBe(400)
    expect(Object.keys(refused.body)).toEqual(['error', 'errorCode', 'requestId'])
    expect(refused.body.error).toContain(says)
    expect((await seen()).subaccounts).toEqual([])
  })

  test('401, 404 and 409 as text, and no share is added', async () => {
    const { add, post, live, at, one, seen } = await shop()
    const other = await shop()
    const body = { shere: 5, sub_account_id: one }
    const keyless = await post(`${at}/subaccount/add`, body, { authorization: '' })
    expect([keyless.status, keyless.body.error]).toEqual([
      401,
      'The secret key is missing or invalid.',
    ])
    const answers = [
      [await post(`${PATH}/x/subaccount/add`, body), 400, 'validation_failed'],
      [await post(`${PATH}/1/subaccount/add`, body), 404, 'split_page_not_found'],
      [await post(`${other.at}/subaccount/add`, body), 404, 'split_page_not_found'],
      [await other.post(`${at}/subaccount/add`, body), 404, 'subaccount_not_found'],
      [await live.post(`${at}/subaccount/add`, body), 404, 'subaccount_not_found'],
      [await add({ shere: 5, sub_account_id: 'ACCT_nothing' }), 404, 'subaccount_not_found'],
      [await add({ shere: 5, sub_account_id: other.one }), 404, 'subaccount_not_found'],
    ] as const
    for (const [{ status, body }, expected, code] of answers) {
      expect([status, body.errorCode, typeof body.error]).toEqual([expected, code, 'string'])
    }
    await post(`${SERVICE}/subaccounts/${one}/deactivate`)
    const inactive = await add(body)
    expect([inactive.status, inactive.body.errorCode]).toEqual([409, 'subaccount_inactive'])
    expect((await seen()).subaccounts).toEqual([])
  })

  test('201 repeats its response for the same Idempotency-Key', async () => {
    const { add, one, eventsOf } = await shop()
    const key = { 'idempotency-key': 'one' }
    const all = await Promise.all(
      Array.from({ length: 5 }, () => add({ shere: 5, sub_account_id: one }, key)),
    )
    expect(new Set(all.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect((await add({ share: 5, subaccount: one }, key)).text).toBe(all[0]!.text)
    expect((await add({ shere: 6, sub_account_id: one }, key)).status).toBe(422)
    expect(await eventsOf()).toHaveLength(2)
  })

  test('409 for more than a hundred subaccounts', async () => {
    const { add, codes, seen, id, businessId } = await shop({ subaccounts: 3, splitType: 'fixed' })
    await db.run`
      with fill as (
        insert into subaccounts (business_id, live, id, reference, status, business_name,
          account_number_plain, charge_basis_points, currency, created_at, updated_at)
        select ${businessId}, false, 2000000000 + n, 'ACCT_' || n, 'Active', 'Fill', '1234567890',
          0, 'NGN', now(), now()
        from generate_series(1, 98) n
        returning business_id, live, id
      ), shares as (
        insert into split_page_shares
        select business_id, live, ${id}, id, 1, now() from fill
      )
      update split_pages set total_share = 98 where id = ${id}`
    const all = await Promise.all(
      codes.map((subaccount) => untilDone(() => add({ share: 1, subaccount }))),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([201, 201, 409])
    expect(await seen()).toMatchObject({ totalShare: 100 })
  })
})

describe('remove', () => {
  test('200 removes it, once', async () => {
    const { add, remove, one, two, eventsOf } = await shop()
    await add({ share: 10, subaccount: one })
    await add({ share: 90, subaccount: two })
    const all = await times(5, () => untilDone(() => remove({ sub_account_id: one })))
    expect(all.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
    const { body } = all.find(({ status }) => status === 200)!
    expect(body.data).toMatchObject({
      totalShare: 90,
      subaccounts: [{ subaccount: two, share: 90 }],
    })
    expect(await eventsOf()).toHaveLength(4)
    expect((await add({ share: 10, subaccount: one })).status).toBe(201)
  })

  test('200 for a subaccount that is Inactive by now', async () => {
    const { add, remove, post, one, seen } = await shop()
    await add({ share: 10, subaccount: one })
    await post(`${SERVICE}/subaccounts/${one}/deactivate`)
    expect((await seen()).totalShare).toBe(10)
    expect((await remove({ subaccount: one })).body.data.totalShare).toBe(0)
  })

  test('400, 401 and 404 as text', async () => {
    const { remove, post, live, at, one, two, add } = await shop()
    await add({ share: 10, subaccount: one })
    const other = await shop()
    const keyless = await post(`${at}/subaccount/remove`, {}, { authorization: '' })
    const answers = [
      [keyless, 401],
      [await remove({}), 400],
      [await remove({ subaccount: 5 }), 400],
      [await remove({ subaccount: one, sub_account_id: two }), 400],
      [await post(`${PATH}/x/subaccount/remove`, { subaccount: one }), 400],
      [await remove({ subaccount: two }), 404],
      [await remove({ subaccount: 'ACCT_nothing' }), 404],
      [await post(`${PATH}/1/subaccount/remove`, { subaccount: one }), 404],
      [await other.post(`${at}/subaccount/remove`, { subaccount: one }), 404],
      [await live.post(`${at}/subaccount/remove`, { subaccount: one }), 404],
    ] as const
    for (const [{ status, body }, expected] of answers) {
      expect([status, typeof body.error]).toEqual([expected, 'string'])
    }
  })
})

describe('at once', () => {
  const findingsOf = async (business: number) =>
    (await findings(server)).filter(({ businessId }) => businessId === business)

  type Reply = { status: number }
  const countOf = (replies: Reply[], status: number) =>
    replies.filter((reply) => reply.status === status).length

  test('201 for as many of fifty as fit into 100 %', async () => {
    const { codes, add, seen, eventsOf, businessId } = await shop({ subaccounts: 50 })
    const all = await Promise.all(
      codes.map((subaccount) => untilDone(() => add({ share: 3, subaccount }))),
    )
    expect([countOf(all, 201), countOf(all, 400)]).toEqual([33, 17])
    const { totalShare, subaccounts } = await seen()
    expect([totalShare, subaccounts.length]).toEqual([99, 33])
    const sequences = (await eventsOf()).map(({ sequence }) => sequence)
    expect(sequences).toEqual(Array.from({ length: 34 }, (_, i) => i + 1))
    expect(await findingsOf(businessId)).toEqual([])
  })

  test('201 or 400, never more than 100 %, for shares that go up and down', async () => {
    const { codes, add, remove, seen, businessId } = await shop({ subaccounts: 5 })
    const steps = Array.from({ length: 60 }, (_, i) => {
      const subaccount = codes[i % 5]!
      const share = ((i * 37) % 60) + 1
      return untilDone(() => (i % 7 === 6 ? remove({ subaccount }) : add({ share, subaccount })))
    })
    for (const { status } of await Promise.all(steps))
      expect([200, 201, 400, 404]).toContain(status)
    const { totalShare, subaccounts } = await seen()
    expect(totalShare).toBeLessThanOrEqual(100)
    expect(totalShare).toBe(
      subaccounts.reduce((sum: number, { share }: { share: number }) => sum + share, 0),
    )
    expect(await findingsOf(businessId)).toEqual([])
  })

  test('201 never above 100 % over a slow connection; 503 after waiting too long', async () => {
    const { codes, at, keys, seen, eventsOf, businessId } = await shop({ subaccounts: 50 })
    const line = await startProxy(server.connection)
    const far = await startSecond(server, { connection: line.connection, connectionsMax: 10 })
    const { get, post } = callerWith(far.url, keys.testSecret)
    await get(at)
    line.slow(FAR_MS)
    const all = await Promise.all(
      codes.map((subaccount) => post(`${at}/subaccount/add`, { share: 30, subaccount })),
    )
    line.slow(0)
    for (const { status } of all) expect([201, 400, 503]).toContain(status)
    const added = countOf(all, 201)
    expect(added).toBeGreaterThan(0)
    const { totalShare, subaccounts } = await seen()
    expect([totalShare, subaccounts.length]).toEqual([added * 30, added])
    expect(totalShare).toBeLessThanOrEqual(90)
    expect(await eventsOf()).toHaveLength(added + 1)
    expect(await findingsOf(businessId)).toEqual([])
  })
})
