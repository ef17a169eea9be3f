import { type Sql, sql } from '../db/sql.ts'

export const DAY_MS = 86_400_000

/**
 * Returns a condition that is true if the business has no legal hold. A hold on one customer keeps
 * all records of the business, because a record does not always say which customer it is about.
 */
export const isNotHeld = (businessId: Sql): Sql =>
  sql`not exists (select from legal_holds h where h.business_id = ${businessId})`

/** Each tenant without a legal hold, as `of` in a `from` clause: `of.business_id, of.live`. */
export const TENANTS_NOT_HELD: Sql = sql`(
    select s.business_id, s.live from business_settings s
    where ${isNotHeld(sql`s.business_id`)}
  ) as of`
