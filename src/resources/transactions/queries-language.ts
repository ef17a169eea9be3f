import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'

interface PaidFor {
  purpose: string
  purposeId: number
}

export function selectLanguage(
  db: Db,
  { businessId, live }: Tenant,
  { purpose, purposeId }: PaidFor,
) {
  return db.maybe<{ language: string }>`
    select language from payer_languages
    where business_id = ${businessId} and live = ${live}
      and purpose = ${purpose} and purpose_id = ${purposeId}`
}

export function upsertLanguage(
  db: Db,
  { businessId, live }: Tenant,
  { purpose, purposeId }: PaidFor,
  language: string,
) {
  return db.run`
    insert into payer_languages (business_id, live, purpose, purpose_id, language)
    values (${businessId}, ${live}, ${purpose}, ${purposeId}, ${language})
    on conflict (business_id, live, purpose, purpose_id) do update set language = ${language}
      where payer_languages.language <> ${language}`
}

export function updateLanguage(
  db: Db,
  { businessId, live }: Tenant,
  { purpose, purposeId }: PaidFor,
  language: string,
) {
  return db.run`
    update payer_languages set language = ${language}
    where business_id = ${businessId} and live = ${live}
      and purpose = ${purpose} and purpose_id = ${purposeId}`
}
