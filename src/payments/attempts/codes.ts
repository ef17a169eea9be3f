import type { Db, Tx } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import type { Tenant } from '../../lib/caller.ts'
import { invalid } from '../../lib/problem.ts'
import { bankOf } from '../../providers/banks/banks.ts'
import type { UssdCode } from '../../providers/connector/types.ts'
import type { TransactionRow } from './queries.ts'

/* The USSD codes of an attempt, of which some providers create one for one bank only. */

/** Returns the payer's bank if its USSD code can be created. */
export async function servedBank(
  providers: Deps['providers'],
  tenant: Tenant,
  bankCode: string | null,
  tx: Tx,
): Promise<string | null> {
  if (bankCode === null || !bankOf(bankCode)?.ussdTemplate) return null
  const served = await providers.ussdBanks(tenant, tx)
  return served === null || served.includes(bankCode) ? bankCode : null
}

/** Throws 400 naming `bankCode` if no connection can create the bank's code. */
export async function requireServed(
  providers: Deps['providers'],
  tenant: Tenant,
  bankCode: string,
  db: Db,
): Promise<void> {
  const served = await providers.ussdBanks(tenant, db)
  if (served === null || served.includes(bankCode)) return
  const names = served.flatMap((code) => bankOf(code)?.name ?? [])
  if (names.length === 0) return
  throw invalid({ bankCode: [`must be the code of one of these banks: ${names.join(', ')}`] })
}

/** Adds codes to those that the payer can already dial. */
export const withCodes = (known: string | null, codes: readonly UssdCode[]): string =>
  JSON.stringify(
    known === null
      ? codes
      : [...new Map([...codesIn(known), ...codes].map((code) => [code.bankCode, code])).values()],
  )

const codesIn = (text: string): UssdCode[] => JSON.parse(text)

/** Returns whether a payer can dial the code of the bank that they have picked. */
export const hasCode = ({
  ussd_codes,
  bank_code,
}: Pick<TransactionRow, 'ussd_codes' | 'bank_code'>): boolean =>
  ussd_codes !== null &&
  (bank_code === null || codesIn(ussd_codes).some(({ bankCode }) => bankCode === bank_code))
