import { SWEEP_ROWS_MAX, type Sweeper } from './sweepers.ts'

/** Forgets Idempotency-Keys whose time is over, a few at a time. */
export const pruneSweeper: Sweeper = {
  name: 'prune',
  everyMs: 60_000,
  sweep: (db, now, only) =>
    db.run`
      delete from idempotency_keys where (business_id, live, scope, key) in (
        select business_id, live, scope, key from idempotency_keys
        where expires_at <= ${now}
          and (${only ?? null}::bigint is null or (business_id = ${only ?? null} and not live))
        order by expires_at limit ${SWEEP_ROWS_MAX} for update skip locked)`,
}
