import { Type } from 'typebox'
import { invalid } from '../../lib/problem.ts'
import { normalisedBy } from '../../lib/text.ts'
import { type Bank, findBank } from './banks.ts'

/** The names of the bank field in requests, which are the same in every operation. */

export const BANK_NAMES = ['bankCode', 'bank', 'bank_code', 'settlement_bank'] as const

/** For `withAliases`: allows the bank field to be sent under any of these names. */
export const bankAliases = (name: (typeof BANK_NAMES)[number]) => ({
  [name]: BANK_NAMES.filter((other) => other !== name),
})

/** For `withAliases`: does the same for the account number. */
export const accountNumberAliases = (name: 'accountNumber' | 'account_number') => ({
  [name]: [name === 'accountNumber' ? 'account_number' : 'accountNumber'],
})

export const BankName = normalisedBy(
  Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    minLength: 1,
    maxLength: 20,
    description: 'A bank’s id, code or NIP code: 58, "58", "058" and "000013" mean the same bank.',
    examples: ['058'],
  }),
  (value: number | string | null) =>
    value === null ? null : (findBank(value)?.code ?? `${value}`),
)

export const AccountNumber = Type.String({
  pattern: '^[0-9]{10}$',
  'x-says': 'must be a 10-digit account number',
  examples: ['0123456789'],
})

/** Returns the bank named in a request, even if it has closed. Throws 400 naming `field`. */
export function knownBank(idOrCode: number | string, field: string): Bank {
  const bank = findBank(idOrCode)
  if (!bank) throw invalid({ [field]: ['must be the id or code of a bank in GET bank'] })
  return bank
}

/**
 * Returns the bank in a request, for moving money. Throws 400 naming `field` if the bank cannot be
 * used.
 */
export function bankNamed(idOrCode: number | string, field: string): Bank {
  const bank = knownBank(idOrCode, field)
  if (!bank.active) throw invalid({ [field]: [`cannot be ${bank.name}, which has closed`] })
  return bank
}
