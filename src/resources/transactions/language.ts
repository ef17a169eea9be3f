import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { isLanguage, type Language, textsOf } from '../../pages/pages.ts'
import { selectLanguage, updateLanguage, upsertLanguage } from './queries-language.ts'

/** What is paid for. */
interface PaidFor {
  purpose: string
  purposeId: number
}

/** Keeps the language in which a payer chose a way to pay; of most, who read English, nothing. */
export async function keepLanguage(
  db: Db,
  tenant: Tenant,
  paidFor: PaidFor,
  locale: string,
): Promise<void> {
  const { language } = textsOf(locale)
  if (language === 'en') await updateLanguage(db, tenant, paidFor, language)
  else await upsertLanguage(db, tenant, paidFor, language)
}

export async function payerLanguage(db: Db, tenant: Tenant, paidFor: PaidFor): Promise<Language> {
  const kept = (await selectLanguage(db, tenant, paidFor))?.language ?? 'en'
  return isLanguage(kept) ? kept : 'en'
}
