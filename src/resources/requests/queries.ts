import { plainArray, textArray, timeArray } from '../../db/arrays.ts'
import type { Db } from '../../db/database.ts'
import type { Entry } from './entry.ts'

/**
 * Writes many lines in one statement, which is its own transaction and is not waited for until it
 * is on the disk. Lines that are there already stay.
 */
export async function insertEntries(db: Db, entries: readonly Entry[]): Promise<void> {
  const texts = (of: (entry: Entry) => string | null) => textArray(entries.map(of))
  const numbers = (of: (entry: Entry) => number | boolean | null) => plainArray(entries.map(of))
  await db.run`
    insert into request_log (business_id, live, at, id, key_id, request_id, method, operation, url,
      duration_ms, request_bytes, response_bytes, status, replayed, truncated, bodies_dropped, ip,
      partner, user_agent, idempotency_key, error_code, request_body, response_body)
    select e.* from
      (select set_config('synchronous_commit', 'off', true)) as hurried,
      unnest(
        ${numbers((one) => one.business_id)}::bigint[],
        ${numbers((one) => one.live)}::boolean[],
        ${timeArray(entries.map(({ at }) => at))}::timestamptz[],
        ${numbers((one) => one.id!)}::bigint[],
        ${numbers((one) => one.key_id)}::bigint[],
        ${texts((one) => one.request_id)}::text[],
        ${texts((one) => one.method)}::text[],
        ${texts((one) => one.operation)}::text[],
        ${texts((one) => one.url)}::text[],
        ${numbers((one) => one.duration_ms)}::real[],
        ${numbers((one) => one.request_bytes)}::integer[],
        ${numbers((one) => one.response_bytes)}::integer[],
        ${numbers((one) => one.status)}::smallint[],
        ${numbers((one) => one.replayed)}::boolean[],
        ${numbers((one) => one.truncated)}::boolean[],
        ${numbers((one) => one.bodies_dropped)}::boolean[],
        ${texts((one) => one.ip)}::text[],
        ${texts((one) => one.partner)}::text[],
        ${texts((one) => one.user_agent)}::text[],
        ${texts((one) => one.idempotency_key)}::text[],
        ${texts((one) => one.error_code)}::text[],
        ${texts((one) => one.request_body)}::text[],
        ${texts((one) => one.response_body)}::text[]
      ) as e
    on conflict do nothing`
}

/** Forgets so many lines at most from before `cutoff`, from the old end of each tenant's. */
export function deleteEntries(db: Db, cutoff: Date, most: number): Promise<number> {
  return db.run`
    delete from request_log where ctid = any(array(
      select old.ctid
      from businesses b cross join (values (true), (false)) as modes (live)
        cross join lateral (
          select r.ctid from request_log r
          where r.business_id = b.id and r.live = modes.live and r.at < ${cutoff}
          order by r.at, r.id limit ${most}
        ) old
      limit ${most}))`
}
