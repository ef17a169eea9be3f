import { expect, test } from 'vitest'
import { partnersOf } from '../../src/business/partners/partners.fixture.ts'
import { findings } from '../corruption/findings.ts'
import { describedIn } from '../described.ts'
import { startServer } from '../harness.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { askAs, askAsOwners, casesOf, inOrder, readAll, type Tenant } from './matrix.ts'
import { openLiveRecords, openRecords } from './records.ts'

const AT_ONCE = 6
/** Operations end records, so more of each are needed. */
const OWNERS_MAX = 5

const server = await startServer()
const { receiver } = await startReceiver()
const { body: document } = await server.get('/openapi.json', { authorization: '' })
const cases = inOrder(casesOf(describedIn(document)))

async function tenantOf(
  name: string,
  { businessId, keys }: Awaited<ReturnType<typeof server.newBusiness>>,
  live = false,
): Promise<Tenant> {
  const key = live ? keys.liveSecret : keys.testSecret
  const caller = server.as(key)
  const hook = `${live ? 'https://hooks.example.com' : receiver.url}/${name}`
  const open = live ? openLiveRecords : openRecords
  const ids = await open({ url: server.url, key, caller, name, hook })
  const { newPartner, grant } = partnersOf(server)
  const { clientId } = await newPartner({ live })
  if (!live) expect((await grant(key, clientId)).status).toBe(201)
  return { name, caller, businessId, ids: { ...ids, partner: clientId } }
}

/** Runs all of them, some at a time. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<string[]>, atOnce = AT_ONCE) {
  const left = [...all]
  const found: string[] = []
  const worker = async () => {
    for (let one = left.shift(); one; one = left.shift()) found.push(...(await work(one)))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return found
}

test('every operation responds about a foreign record as about none, and leaves it alone', {
  // As many requests as there are operations and ids.
  timeout: 0,
}, async () => {
  const business = await server.newBusiness()
  const owner = await tenantOf('owner', business)
  const others = [
    await tenantOf('another', await server.newBusiness()),
    await tenantOf('live', business, true),
  ]
  expect(cases.length).toBeGreaterThan(150)
  // Providers and receivers may still be busy with what was created.
  let before: string[] = []
  await expect
    .poll(async () => {
      const last = before
      before = await readAll(cases, owner)
      return before.join('\n') === last.join('\n')
    })
    .toBe(true)
  for (const other of others) {
    expect(await each(cases, (one) => askAs(one, other, owner))).toEqual([])
  }
  expect(await readAll(cases, owner)).toEqual(before)
  const owners = [owner]
  async function* everyOwner() {
    for (let i = 0; i < OWNERS_MAX; i++) {
      owners[i] ??= await tenantOf(`owner-${i}`, await server.newBusiness())
      yield owners[i]!
    }
  }
  expect(await each(cases, (one) => askAsOwners(one, everyOwner()), 1)).toEqual([])
  expect(await findings(server)).toEqual([])
})
