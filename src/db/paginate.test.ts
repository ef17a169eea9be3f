import { expect, test, vi } from 'vitest'
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
  const read = async () => (await paginate(db, list, { page: 1, limit: 100 })).meta.total
  const reads = (count: number) => Promise.all(Array.from({ length: count }, read))
  for (let made = 1; made <= 50; made++) {
    const before = reads(3)
    await db.run`insert into crates values (1, false, ${made})`
    expect(await reads(3)).toEqual([made, made, made])
    for (const total of await before) expect([made - 1, made]).toContain(total)
  }
})
