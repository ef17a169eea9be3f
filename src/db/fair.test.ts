import { expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { openBatch } from './batch.ts'
import { openDatabase } from './database.ts'
import { findFairly } from './leases.ts'
import { inTurnsOf } from './turns.ts'

const { db, connection } = await testDatabase()

const [BUSY, QUIET, THIRD] = [101, 102, 103]

test('one business’s burst delays a connection for another by one turn', async () => {
  const narrow = openDatabase({ connection, connectionsMax: 1 })
  const order: number[] = []
  const held = await narrow.connect()
  const ask = (business: number) =>
    inTurnsOf(business, () => narrow.one`select 1`.then(() => order.push(business)))
  const all = [...Array.from({ length: 500 }, () => ask(BUSY)), ask(QUIET), ask(THIRD)]
  held.release()
  await Promise.all(all)
  await narrow.close()
  expect(order.slice(0, 3)).toEqual([BUSY, QUIET, THIRD])
  expect(order).toHaveLength(502)
})

test('a burst is not refused because this process stood still', async () => {
  const narrow = openDatabase({ connection, connectionsMax: 1, connectMs: 400 })
  await narrow.one`select 1`
  const all = Array.from({ length: 50 }, () => narrow.one`select 1`)
  await new Promise(setImmediate)
  const end = performance.now() + 600
  while (performance.now() < end);
  await Promise.all(all)
  await narrow.close()
})

test('one business’s burst delays a transaction of another by one turn', async () => {
  const narrow = openDatabase({ connection, connectionsMax: 1 })
  const order: number[] = []
  const held = await narrow.connect()
  const ask = (business: number) =>
    inTurnsOf(business, () =>
      narrow.transaction(async (tx) => {
        await tx.one`select 1`
        order.push(business)
      }),
    )
  const all = [...Array.from({ length: 50 }, () => ask(BUSY)), ask(QUIET)]
  held.release()
  await Promise.all(all)
  await narrow.close()
  expect(order.indexOf(QUIET)).toBe(1)
})

test('a batch contains items of each business that waits, in their order', async () => {
  const batches: string[][] = []
  const release = Promise.withResolvers<void>()
  const batch = openBatch<string, string>({
    db: { isDivided: false },
    businessOf: () => BUSY,
    async write(items) {
      batches.push([...items])
      await release.promise
      return [...items]
    },
  })
  const add = (business: number, item: string) => inTurnsOf(business, () => batch.add(item))
  const first = add(BUSY, 'first')
  await expect.poll(() => batches.length).toBe(1)
  const items = Array.from({ length: 2_000 }, (_, i) => `item ${i}`)
  const all = [...items.map((item) => add(BUSY, item)), add(QUIET, 'single')]
  release.resolve()
  await Promise.all([first, ...all])
  expect(batches[1]).toContain('single')
  const written = batches.flat().filter((item) => item.startsWith('item'))
  expect(written).toEqual(items)
})

interface Row {
  business_id: number
  id: number
}

/** Finds rows as a job does, and says how often it looked. */
async function found(rows: readonly Row[], limit: number) {
  let looks = 0
  const result = await findFairly<Row>({}, 'rows', limit, async (isOther) => {
    looks++
    return db.many<Row>`
      select business_id, id
      from unnest(${rows.map((row) => row.business_id)}::bigint[],
        ${rows.map(({ id }) => id)}::bigint[]) as due (business_id, id)
      where ${isOther} order by id limit ${limit}`
  })
  return { looks, ids: result.map(({ id }) => id) }
}

const rowsOf = (business_id: number, from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({ business_id, id: from + i }))

test('due rows are found in order if there are few, with one statement', async () => {
  const rows = [...rowsOf(BUSY, 1, 6), ...rowsOf(QUIET, 7, 3)]
  expect(await found(rows, 10)).toEqual({ looks: 1, ids: [1, 2, 3, 4, 5, 6, 7, 8, 9] })
})

test('one business’s thousands of due rows do not keep another’s out of the batch', async () => {
  const rows = [...rowsOf(BUSY, 1, 5_000), ...rowsOf(QUIET, 6_000, 1), ...rowsOf(THIRD, 7_000, 3)]
  const { ids, looks } = await found(rows, 10)
  expect(ids).toHaveLength(10)
  expect(ids).toEqual(expect.arrayContaining([1, 6_000, 7_000, 7_001, 7_002]))
  expect(looks).toBe(2)
})

test('several businesses with thousands of rows share the batch', async () => {
  const rows = [BUSY, QUIET, THIRD].flatMap((id, i) => rowsOf(id, 10_000 * i, 3_000))
  const { ids } = await found(rows, 9)
  expect(ids).toEqual([0, 10_000, 20_000, 1, 10_001, 20_001, 2, 10_002, 20_002])
})
