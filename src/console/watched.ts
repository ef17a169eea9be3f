import { sql } from '../db/sql.ts'
import type { Watched } from '../ledger/watched.ts'

/** The role of each member. */
export const watchedMembers: Watched = {
  kind: 'member',
  table: 'members',
  rows: sql`select business_id, false as live, person_id as id, created_at,
    to_json(array[role])::text as content from members`,
}

/** Whether the people of a business need a second factor. */
export const watchedBusinesses: Watched = {
  kind: 'business',
  table: 'businesses',
  rows: sql`select id as business_id, false as live, id, created_at,
    to_json(array[requires_two_factor::text])::text as content from businesses`,
  unwritten: '["false"]',
}

/** What people asked for, until its outcome is in the audit log. */
export const watchedAsked: Watched = {
  kind: 'asked',
  table: 'audit_asked',
  rows: sql`select business_id, live, id, at as created_at, to_json(array[person_id::text,
    person_name, ip, request_id, action, object])::text as content from audit_asked`,
}
