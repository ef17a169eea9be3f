import type pg from 'pg'

/** What is only ever inserted: the app role may neither change nor remove a row of these tables. */
export const APPEND_ONLY = [
  'ledger_transfers',
  'ledger_journals',
  'ledger_seals',
  'events',
  'forgotten_events',
  'row_notes',
  'row_notes_begun',
  'digest_seals',
  'audit_log',
  'simulated_fundings',
  'order_notes',
]

const APP = 'tradepost_app'
const READ_ONLY = ['schema_migrations']

/**
 * Gives the app role what it needs on every table of ours, and no more. Does nothing where that
 * role does not exist: with a DATABASE_URL of a single role, the owner serves the requests.
 *
 * Runs after migrations, as their owner; only differences are written, so that a start which
 * changes nothing takes no lock.
 */
export async function grantApp(client: pg.ClientBase): Promise<void> {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [APP])
  if (rowCount === 0) return
  const { rows } = await client.query<{ statement: string }>(DIFFERENCES, [
    APPEND_ONLY,
    READ_ONLY,
    APP,
  ])
  for (const { statement } of rows) await client.query(statement)
}

// A partition is as append-only as its parent. The relations of extensions are not ours.
const DIFFERENCES = `
with ours as (
  select c.oid, c.relkind, c.relname, n.nspname,
         array(select p.relname::text from pg_inherits i join pg_class p on p.oid = i.inhparent
                where i.inhrelid = c.oid) || c.relname::text as names
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p', 'v', 'm', 'S')
     and pg_has_role(c.relowner, 'usage')
     and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
     and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
), wanted as (
  select oid, relkind, relname, nspname,
         case when relkind = 'S' then array['usage', 'select']
              when names && $2::text[] then array['select']
              when names && $1::text[] then array['select', 'insert']
              else array['select', 'insert', 'update', 'delete'] end as rights
    from ours
), compared as (
  select w.*, r.name,
         case when relkind = 'S' then has_sequence_privilege($3, oid, r.name)
              else has_table_privilege($3, oid, r.name) end as has,
         r.name = any (rights) as should
    from wanted w,
         unnest(case when relkind = 'S' then array['usage', 'select', 'update']
                     else array['select', 'insert', 'update', 'delete', 'truncate'] end) as r(name)
)
select format('grant usage on schema %I to %I', nspname, $3) as statement
  from (select distinct nspname from ours) as schemas
 where not has_schema_privilege($3, nspname, 'usage')
union all
select format('%s %s on %s %I.%I %s %I', case when should then 'grant' else 'revoke' end, name,
              case when relkind = 'S' then 'sequence' else 'table' end, nspname, relname,
              case when should then 'to' else 'from' end, $3)
  from compared
 where has <> should`
