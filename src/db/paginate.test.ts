import { expect, test, vi } from 'vitest'
import { times } from '../../test/concurrency.ts'
import { asOwner, testDatabase } from '../../test/harness.ts'
import { type List, paginate } from './paginate.ts'
import { sql } from './sql.ts'

const { db, name } = await testDatabase({ connectionsMax: 4 })
const LIST: List = {
  table: sql`boxes`,
  columns: sql`id, created_at`,
  tenant: { businessId: 1, live: false },
  counts: { isLasting: false },
}
const ROWS = 20_001

test('only one request counts again before the last count could be wrong', async () => {
  await asOwner(name, async (client) => {
    await client.query(`
      create table boxes (
        business_id bigint not null, live boolean not null, id bigint not null,
        created_at timestamptz not null default now(),
        primary key (business_id, live, id))`)
    await client.query(`insert into boxes select 1, false, n from generate_series(1, ${ROWS}) n`)
    await client.query('grant select on boxes to tradepost_app')
  })
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  const read = async () => (await paginate(db, LIST, { page: 1, limit: 1 })).meta
  expect(await read()).toMatchObject({ total: 10_000, totalIsExact: false })

  // Faster than rows can leave a list. The requests that count notice it.
  await asOwner(name, (client) => client.query('delete from boxes where id > 5'))
  const readByMany = async () => (await Promise.all(Array.from({ length: 8 }, read))).map(totalOf)
  const totalOf = ({ total }: { total: number }) => total
  expect(await readByMany()).toEqual(Array(8).fill(10_000))
  now.mockReturnValue(1_300)
  expect((await readByMany()).sort((a, b) => a - b)).toEqual([5, ...Array(7).fill(10_000)])
  expect(await readByMany()).toEqual(Array(8).fill(10_000))
  now.mockReturnValue(2_600)
  expect(await readByMany()).toEqual(Array(8).fill(5))
})

test('requests share a count only if it began after they arrived', async () => {
  await asOwner(name, async (client) => {
    await client.query(`
      create table crates (
        business_id bigint not null, live boolean not null, id bigint not null,
        created_at timestamptz not null default now(),
        primary key (business_id, live, id))`)
    await client.query('grant select, insert on crates to tradepost_app')
  })
  const list = { ...LIST, table: sql`crates` }
  const read = async () => {
    const { rows, meta } = await paginate(db, list, { page: 1, limit: 100 })
    // The page and the count can be different statements.
    expect(meta).toMatchObject({ total: rows.length, hasNext: false })
    return meta.total
  }
  const reads = (count: number) => times(count, read)
  for (let made = 1; made <= 50; made++) {
    const before = reads(3)
    await db.run`insert into crates values (1, false, ${made})`
    expect(await reads(3)).toEqual([made, made, made])
    for (const total of await before) expect([made - 1, made]).toContain(total)
  }
  const [, last, beyond] = await Promise.all(
    [1, 5, 6].map((page) => paginate(db, list, { page, limit: 10 })),
  )
  expect(last).toMatchObject({ rows: { length: 10 }, meta: { total: 50, hasNext: false } })
  expect(beyond).toMatchObject({ rows: [], meta: { total: 50, hasNext: false } })
})

test('requests with different times share the count for the latest', async () => {
  const until = (n: number) =>
    paginate(
      db,
      { ...LIST, table: sql`crates`, filters: [sql`id <= ${n}`], counts: { key: 'until now' } },
      { page: 1, limit: 1 },
    )
  const [first, , latest] = await Promise.all([until(1), until(2), until(9)])
  expect([first!.meta.total, latest!.meta.total]).toEqual([1, 9])
})
