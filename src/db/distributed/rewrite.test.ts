import { expect, test } from 'vitest'
import { findings } from '../../../test/corruption/findings.ts'
import { callerWith, startSecond, startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { openShop } from '../../payments/refunds/refunds.fixture.ts'
import { sql } from '../sql.ts'
import { forOneMachine, groupsFor, onMachineOf } from './rewrite.ts'

const rewritten = (text: string, ...values: unknown[]) => forOneMachine({ text, values })
const textOf = (text: string, ...values: unknown[]) =>
  rewritten(text, ...values)
    .text.replaceAll(/\s+/g, ' ')
    .trim()

test('each table of a tenant gets the condition, as a value that is sent once', () => {
  expect(
    rewritten(
      'select * from invoices i join businesses b on b.id = i.business_id where i.business_id = $1',
      7,
    ),
  ).toEqual({
    text:
      'select * from (select * from invoices where business_id = $2::bigint) i ' +
      'join businesses b on b.id = i.business_id where i.business_id = $1',
    values: [7, 7],
  })
  expect(
    textOf('select 1 from orders, order_lines as l where (orders.business_id, a) = ($1, $2)', 7, 8),
  ).toBe(
    'select 1 from (select * from orders where business_id = $3::bigint) orders, ' +
      '(select * from order_lines where business_id = $3::bigint) as l ' +
      'where (orders.business_id, a) = ($1, $2)',
  )
})

test.each([
  [
    'select 1 from unnest($1::bigint[], $2::boolean[]) as d (business_id, live)',
    ['{7,7}', '{t,f}'],
  ],
  [
    'select 1 from unnest($1::int[], $2::bigint[]) with ordinality as d (n, w_business_id, p)',
    [[1], [7]],
  ],
  [
    'select 1 where (business_id, live) in (select * from unnest($1::bigint[], $2::bool[]))',
    [[7], [true]],
  ],
  ['select 1 where business_id = any($1::bigint[])', [[7, 7]]],
  ['select 1 from json_to_recordset($1::json) as t (business_id bigint)', ['[{"business_id":7}]']],
])('finds the business in a list: %s', (start, values) => {
  const text = `with d as (${start}) select 1 from invoices`
  const result = forOneMachine({ text, values })
  expect(result.values).toEqual([...values, 7])
  expect(result.text).toContain(
    `from (select * from invoices where business_id = $${values.length + 1}`,
  )
})

test('a statement about several businesses, or none, stays as it is', () => {
  for (const [text, ...values] of [
    ['select 1 from invoices where business_id = any($1::bigint[])', [7, 8]],
    ['select 1 from invoices where ($1::bigint is null or business_id = $1)', null],
    ['select 1 from invoices i join orders o on i.business_id = $1 and o.business_id = $2', 7, 8],
    ['select 1 from people where id = $1', 7],
    ['select 1 from businesses where id = $1', 7],
  ] as [string, ...unknown[]][]) {
    expect(rewritten(text, ...values)).toEqual({ text, values })
  }
})

test('named queries, functions, comments and texts are not tables', () => {
  const text = `with invoices as (select 1), t (a) as materialized (select 2)
    -- from orders
    select 'from orders', extract(epoch from updated_at), a is distinct from orders
    from invoices, t, unnest($2::int[]) where business_id = $1`
  expect(rewritten(text, 7, [1]).text).toBe(text)
})

test('writes name the business too', () => {
  expect(
    textOf(
      'update orders o set a = 1 from t where o.id = t.id or $1 = o.business_id and o.business_id = $1 returning o.id',
      7,
    ),
  ).toBe(
    'update orders o set a = 1 from (select * from t where business_id = $2::bigint) t where o.business_id = $2::bigint and ( o.id = t.id or $1 = o.business_id and o.business_id = $1 ) returning o.id',
  )
  expect(textOf('with d as (delete from orders where business_id = $1) select 1', 7)).toBe(
    'with d as (delete from orders where orders.business_id = $2::bigint and ( business_id = $1) ) select 1',
  )
  expect(textOf('insert into orders (id) select id from orders where business_id = $1', 7)).toBe(
    'insert into orders as orders (id) select id from (select * from orders where business_id = $2::bigint) orders where business_id = $1',
  )
  expect(
    textOf(
      'insert into orders as o (business_id) values (1) on conflict do update set a = 1 where o.business_id = $1',
      7,
    ),
  ).toBe(
    'insert into orders as o (business_id) values (1) on conflict do update set a = 1 where o.business_id = $1',
  )
})

test('rows are locked in their table, inside a named query', () => {
  expect(
    textOf(
      'with l as materialized (select o.id from c join orders o using (id) order by o.id for no key update of o) update orders p set a = 1 from l where p.business_id = $1',
      7,
    ),
  ).toBe(
    'with l as materialized (select * from (select o.id from c join orders o using (id) ' +
      'where c.business_id = $2::bigint and o.business_id = $2::bigint order by o.id for no key update of o) locked_rows) ' +
      'update orders p set a = 1 from l where p.business_id = $2::bigint and ( p.business_id = $1)',
  )
})

test('rows are grouped only if tables are divided', () => {
  const rows = [7, 8, 7].map((id, n) => ({ id, n }))
  const groups = (isDivided: boolean) => groupsFor({ isDivided }, rows, ({ id }) => id)
  expect(groups(false)).toEqual([rows])
  expect(groups(true)).toEqual([[rows[0], rows[2]], [rows[1]]])
})

test('a statement that finds its business in another table names it if tables are divided', async () => {
  const { db, business } = await startServer({ jobs: false })
  const found = sql`select id as business_id from businesses where id = ${business.businessId}`
  const none = sql`select id as business_id from businesses where id = 0`
  const conditionOf = async (isDivided: boolean, of: typeof found) =>
    (await onMachineOf({ ...db, isDivided }, of, sql`k.business_id`)).compile()
  expect(await conditionOf(false, found)).toMatchObject({ text: 'true', values: [] })
  expect(await conditionOf(true, none)).toMatchObject({ text: 'false', values: [] })
  expect(await conditionOf(true, found)).toMatchObject({
    text: 'k.business_id = $1',
    values: [business.businessId],
  })
})

test('on a single machine, the statements of a divided database have the same effects', async () => {
  const first = await startServer({ jobs: false })
  const connection = { ...first.connection, isDivided: true }
  const second = await startSecond(first, { connection })
  expect(second.db.isDivided).toBe(true)
  const { url, db } = second
  const server = { ...first, url, db, as: (key: string) => callerWith(url, key) }
  const { paid, shared, invoice, refund, wallet, payment, one } = await openShop(server)

  const { id } = await paid(10_000)
  const split = await shared(2_000, [30, 20])
  const { available } = await wallet()
  const { status, body } = await refund({ transactionId: id, amount: 2_500 })
  expect(status).toBe(201)
  expect(await wallet()).toEqual({ available: available - 2_500, held: 2_500 })
  expect(await payment(id)).toMatchObject({ status: 'Successful', refunding_minor: 250_000n })
  expect(await payment(split.id)).toMatchObject({ status: 'Successful' })
  expect(await one(body.data.reference)).toMatchObject({ status: 'Pending' })
  expect((await invoice(500)).reference).toMatch(/^INV_/)
  expect(
    (await server.as('sk_test_nobody').get('/api/payment-service/external/v1/invoices')).status,
  ).toBe(401)

  expect(await findings(first)).toEqual([])
  expect(await runAudit(db, allChecks)).toEqual([])
})
