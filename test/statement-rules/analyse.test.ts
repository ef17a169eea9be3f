import { describe, expect, test } from 'vitest'
import { breachesOf } from './analyse.ts'

const SCHEMA = {
  businesses: ['id', 'name'],
  api_key_hashes: ['hash', 'business_id', 'key_id'],
  invoices: ['business_id', 'live', 'id', 'status', 'due_at'],
  payments: ['business_id', 'live', 'id', 'invoice_id'],
}
const KEYS = 'unnest($1::bigint[], $2::boolean[], $3::bigint[])'

const breaches = (text: string, values?: unknown[]) =>
  breachesOf(text, SCHEMA, values).map(({ rule, says }) => `${rule}: ${says}`)

describe('is allowed:', () => {
  test.each([
    [
      'a change in one business',
      'update invoices set status = $1 where business_id = $2 and id = $3',
    ],
    ['a row comparison', 'delete from invoices where (business_id, live, id) = ($1, $2, $3)'],
    ['new rows', 'insert into invoices (business_id, live, id) values ($1, $2, $3), ($4, $5, $6)'],
    [
      'new rows from a list',
      `insert into invoices (business_id, live, id) select business_id, live, id
       from json_to_recordset($1::json) as t (business_id bigint, live boolean, id bigint)`,
    ],
    [
      'new rows from rows of a table',
      'insert into payments select * from json_populate_recordset(null::payments, $1::json)',
    ],
    [
      'locks on a list',
      `select id from invoices where (business_id, live, id) in (select * from ${KEYS})
       for update`,
    ],
    [
      'a list of businesses',
      'delete from invoices where business_id = any($1::bigint[]) and ctid = any($2::tid[])',
    ],
    [
      'what a with clause found',
      `with due as (
         select business_id as b, id as i from invoices where business_id = $1
         for update skip locked
       ), gone as (
         delete from payments p using due where p.business_id = b and p.invoice_id = i returning p.*
       )
       update invoices set status = 'x' from due where (business_id, id) = (b, i)`,
    ],
    [
      'a join with using',
      `update payments p set id = 1 from (
         select * from ${KEYS} as t (business_id, live, id)
           join invoices i using (business_id, live, id)
       ) x where p.business_id = x.business_id`,
    ],
    [
      'a business from a reference table',
      `delete from invoices i using businesses b where b.id = $1 and i.business_id = b.id`,
    ],
    ['a plain read of all businesses', 'select business_id, id from invoices where due_at <= $1'],
    [
      'a read of all businesses with a join inside each',
      `select count(*) from invoices i where exists (
         select from payments p where p.business_id = i.business_id and p.invoice_id = i.id)`,
    ],
    [
      'a key look-up through a reference table',
      `select i.id from api_key_hashes h join invoices i on i.business_id = h.business_id
       where h.hash = $1`,
    ],
    [
      'unrelated counts',
      'select (select count(*) from invoices) a, (select count(*) from payments) b',
    ],
    [
      'a lock on a subquery in one business',
      'select * from (select business_id as b, id from invoices) x where b = $1 for update',
    ],
    [
      'a limit inside exists',
      `update invoices i set status = 'x' where exists (
         select from payments p where p.business_id = i.business_id and p.business_id = $1)`,
    ],
    ['settings of the session', 'set local lock_timeout = 100; discard plans'],
    ['both arms of a union', 'select id from invoices union all select id from payments'],
    [
      'a recursive walk through one index',
      `with recursive w as (
         (select business_id from invoices order by 1 limit 1) union all
         select n.* from w cross join lateral (
           select business_id from invoices where business_id > w.business_id order by 1 limit 1) n)
       select i.id from w join invoices i on i.business_id = w.business_id`,
    ],
  ])('%s', (_name, text) => {
    expect(breaches(text)).toEqual([])
  })
})

describe('breaks a rule:', () => {
  test.each([
    ['a change by id', 'update invoices set status = $1 where id = $2', /writes invoices/],
    ['a lock by id', 'select id from invoices where id = $1 for update', /locks invoices/],
    [
      'a lock in a subquery',
      `update invoices set status = 'x' where (business_id, id) in (
      select business_id, id from invoices where due_at <= $1 limit 5 for update skip locked)`,
      /locks/,
    ],
    [
      'a condition that can be switched off',
      'delete from invoices where ($1::bigint is null or business_id = $1)',
      /writes invoices/,
    ],
    [
      'a second table without its business',
      `with paid as (update invoices set status = 'x' where business_id = $1 returning id)
       delete from payments using paid where invoice_id = paid.id`,
      /writes payments/,
    ],
    ['copied rows', 'insert into payments select * from invoices', /writes payments/],
    ['an upper limit', 'delete from invoices where business_id <= $1', /writes invoices/],
    ['a join by id', 'select from invoices i join payments p on p.invoice_id = i.id', /combines/],
    [
      'a subquery by id',
      `select (select max(p.id) from payments p where p.invoice_id = i.id)
       from invoices i where business_id = $1`,
      /combines/,
    ],
    ['a lock on a table', 'lock table invoices', /locks the whole table/],
    [
      'a lock on a subquery',
      'select * from (select * from invoices where id = $1) x for update',
      /locks invoices/,
    ],
    [
      'a lock inside a subquery that is limited outside',
      'select * from (select business_id from invoices for update) x where business_id = $1',
      /locks invoices/,
    ],
    [
      'a change in a with clause that is limited outside',
      `with gone as (delete from invoices returning business_id)
       select * from gone where business_id = $1`,
      /writes invoices/,
    ],
    [
      'a limit inside or',
      `update invoices i set status = 'x' where id = $2 or exists (
         select from payments p where p.business_id = i.business_id and p.business_id = $1)`,
      /writes invoices/,
    ],
    [
      'a limit inside not exists',
      `delete from invoices i where not exists (
         select from payments p where p.business_id = i.business_id and p.business_id = $1)`,
      /writes invoices/,
    ],
    [
      'a limit inside a value',
      `update invoices i set status = (
         select 'x' from payments p where p.business_id = i.business_id and p.business_id = $1)`,
      /writes invoices/,
    ],
    [
      'a limit inside a count',
      `select from invoices i where 0 = (
         select count(*) from payments p where p.business_id = i.business_id and p.business_id = $1)
       for update`,
      /locks invoices/,
    ],
    [
      'a limit on the other side of a left join',
      `select from invoices i
       left join payments p on p.business_id = i.business_id and p.business_id = $1
       for update of i`,
      /locks invoices/,
    ],
    [
      'a lock inside a value',
      'insert into businesses (id) values (coalesce((select id from invoices for update), 1))',
      /locks invoices/,
    ],
    [
      'a conflict with another business',
      `insert into invoices (business_id, live, id) values ($1, $2, $3)
       on conflict (id) do update set status = 'x'`,
      /writes invoices for a conflict/,
    ],
  ])('%s', (_name, text, says) => {
    expect(breaches(text).join()).toMatch(says)
  })

  test('two ids of businesses that differ', () => {
    const text = `update invoices i set status = 'x' from payments p
      where i.business_id = $1 and p.business_id = $2 and p.invoice_id = i.id`
    expect(breaches(text, [7, 7])).toEqual([])
    expect(breaches(text, [7, 8])).toEqual(['one business: names several businesses: 7,8'])
  })
})

test.each([
  ['delete from carts', 'unknown table carts'],
  ['delete from other.invoices', 'unknown table invoices'],
  ['do $$ begin delete from invoices; end $$', 'unknown kind of statement: DoStmt'],
  ['prepare gone as delete from invoices', 'unknown kind of statement: PrepareStmt'],
  ['copy invoices from stdin', 'unknown kind of statement: CopyStmt'],
])('%s is not overlooked', (text, says) => {
  expect(() => breaches(text)).toThrow(says)
})
