import { sql } from '../db/sql.ts'
import type { AuditCheck } from './audit.ts'
import { sealedContent, sealedContent1 } from './seals.ts'

/** What must be true of the hash chains. */
export const sealChecks: readonly AuditCheck[] = [
  {
    // Compared with the stored hash of the seal before, so that one changed row is named alone and
    // not all that follow it.
    name: 'seals',
    what: 'each transfer and its journal are what they were when they were sealed',
    table: 'ledger_transfers',
    sql: sql`
      select s.business_id, s.live, s.transfer_id as id, case
        when t.id is null then format('it is gone; seal %s was made of it', s.seq)
        else format('it or its journal is not what seal %s was made of, or the seal was changed',
          s.seq) end as problem
      from (
        select *, lag(seq, 1, 0::bigint) over chain as previous,
          lag(hash, 1, decode(repeat('00', 32), 'hex')) over chain as previous_hash
        from ledger_seals
        window chain as (partition by business_id, live order by seq)
      ) as s
      left join ledger_transfers t
        on (t.business_id, t.live, t.id) = (s.business_id, s.live, s.transfer_id)
      left join ledger_journals j
        on (j.business_id, j.live, j.id) = (t.business_id, t.live, t.journal_id)
      where t.id is null or (s.seq = s.previous + 1
        and s.hash <> sha256(s.previous_hash || convert_to(
          case s.version when 1 then ${sealedContent1}
            else ${sealedContent(sql`s.sealed_at`)} end, 'UTF8')))`,
  },
  {
    name: 'seal-gaps',
    what: 'the seals of each chain are numbered from 1 without a gap',
    table: 'ledger_seals',
    sql: sql`
      select business_id, live, previous + 1 as id,
        format('gone: seals %s to %s; the next one is of transfer %s',
          previous + 1, seq - 1, transfer_id) as problem
      from (
        select *, lag(seq, 1, 0::bigint) over (partition by business_id, live order by seq)
          as previous
        from ledger_seals
      ) as numbered
      where seq <> previous + 1`,
  },
  {
    name: 'chain-ends',
    what: 'each chain ends where it was last written',
    table: 'ledger_seals',
    sql: sql`
      select c.business_id, c.live, c.seq as id,
        format('the chain ends with seal %s, which is gone or changed', c.seq) as problem
      from ledger_chains c
      left join ledger_seals s on (s.business_id, s.live, s.seq) = (c.business_id, c.live, c.seq)
      where c.seq > 0 and s.hash is distinct from c.hash
      union all
      select s.business_id, s.live, s.seq, format('it stands after the end of its chain, %s', c.seq)
      from ledger_seals s
      left join ledger_chains c on (c.business_id, c.live) = (s.business_id, s.live)
      where c.seq is null or s.seq > c.seq`,
  },
  {
    name: 'seal-queue',
    what: 'everything that waits for a seal is a journal without one',
    table: 'ledger_unsealed',
    sql: sql`
      select u.business_id, u.live, u.journal_id as id, case
        when j.id is null then 'the journal that waits for its seals does not exist'
        else 'its journal waits for seals that it has' end as problem
      from ledger_unsealed u
      left join ledger_journals j on (j.business_id, j.live, j.id)
        = (u.business_id, u.live, u.journal_id)
      left join (
        select t.business_id, t.live, t.journal_id as id
        from ledger_transfers t
        join ledger_seals s
          on (s.business_id, s.live, s.transfer_id) = (t.business_id, t.live, t.id)
        group by t.business_id, t.live, t.journal_id
      ) as sealed on (sealed.business_id, sealed.live, sealed.id)
        = (u.business_id, u.live, u.journal_id)
      where j.id is null or sealed.id is not null`,
  },
  {
    name: 'unsealed',
    what: 'every transfer has its seal or waits for it',
    table: 'ledger_transfers',
    sql: sql`
      select t.business_id, t.live, t.id, 'it was not sealed and does not wait to be' as problem
      from ledger_transfers t
      left join ledger_seals s
        on (s.business_id, s.live, s.transfer_id) = (t.business_id, t.live, t.id)
      where s.seq is null and not exists (
        select from ledger_unsealed u
        where (u.business_id, u.live, u.journal_id) = (t.business_id, t.live, t.journal_id))`,
  },
]
