import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { openDatabase } from './database.ts'
import { openIds } from './ids.ts'

const { db, connection } = await testDatabase()

const take = (ids: ReturnType<typeof openIds>, count: number) =>
  Promise.all(Array.from({ length: count }, () => ids.next()))

describe('ids', () => {
  test('are never equal, whichever process takes them', async () => {
    const other = openDatabase({ connection, connectionsMax: 2 })
    const takers = [openIds(db), openIds(db), openIds(other), openIds(other)]
    const rounds = await Promise.all([...takers, ...takers].map((ids) => take(ids, 3_000)))
    const all = rounds.flat()
    expect(new Set(all).size).toBe(24_000)
    for (const id of all) expect(Number.isSafeInteger(id) && id > 0).toBe(true)
    await other.close()
  })

  test('of one process ascend, without gaps while it runs', async () => {
    const ids = openIds(db)
    const first = await ids.next()
    const rest: number[] = []
    for (let i = 0; i < 99; i++) rest.push(await ids.next())
    expect(rest).toEqual(Array.from({ length: 99 }, (_, i) => first + 1 + i))
  })

  test('of consecutive transactions ascend, even if the stock is empty for some', async () => {
    const ids = openIds(db)
    const all: number[] = []
    for (let i = 0; i < 700; i++) {
      all.push(await (i % 3 === 0 ? ids.next() : db.transaction((tx) => ids.next(tx))))
    }
    expect(all).toEqual(all.toSorted((a, b) => a - b))
  })

  test('come from stock without a wait, and the stock starts empty', async () => {
    const ids = openIds(db)
    expect(ids.take()).toBeUndefined()
    const first = await ids.next()
    expect(ids.take()).toBe(first + 1)
  })

  test('are fetched through the transaction that needs them if no connection is left', async () => {
    const narrow = openDatabase({ connection, connectionsMax: 2 })
    const ids = openIds(narrow)
    const work = () => narrow.transaction(async (tx) => ids.next(tx))
    const got = await Promise.all([work(), work()])
    expect(new Set(got).size).toBe(2)
    await narrow.close()
  })

  test('fetched by a transaction belong to it until it commits', async () => {
    const narrow = openDatabase({ connection, connectionsMax: 1 })
    const ids = openIds(narrow)
    const failed: number[] = []
    const undone = narrow.transaction(async (tx) => {
      failed.push(await ids.next(tx), await ids.next(tx))
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(failed[1]).toBe(failed[0]! + 1)
    const kept = await narrow.transaction((tx) => ids.next(tx))
    expect(kept).toBeGreaterThan(failed[1]! + 1)
    expect(ids.take()).toBe(kept + 1)
    await narrow.close()
  })

  test('are available again after the database was down', async () => {
    const broken = openDatabase({
      connection: { ...connection, database: 'gone' },
      connectionsMax: 1,
    })
    await expect(openIds(broken).next()).rejects.toThrow()
    await broken.close()
    const narrow = openDatabase({ connection, connectionsMax: 1 })
    const ids = openIds(narrow)
    const { promise, resolve } = Promise.withResolvers<void>()
    const busy = narrow.transaction(() => promise)
    await expect(ids.next()).rejects.toMatchObject({ code: 'database_unavailable' })
    resolve()
    await busy
    expect(await ids.next()).toBeGreaterThan(0)
    await narrow.close()
  })
})
