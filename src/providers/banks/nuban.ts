import type { Bank } from './banks.ts'

/**
 * Returns whether the last digit of an account number is the correct check digit for the other nine
 * and the bank, according to the CBN's revised NUBAN standard of 2020. Returns null if this is
 * unknown: wallets use phone numbers as account numbers, and we do not have the CBN code of every
 * bank. Banks have issued numbers that break the rule, so a mismatch justifies a warning but never
 * a refusal.
 */
export function isNuban(bank: Pick<Bank, 'code' | 'type'>, accountNumber: string): boolean | null {
  const institution = institutionOf(bank)
  if (institution === null) return null
  return (
    /^\d{10}$/.test(accountNumber) && checkDigit(institution, accountNumber) === accountNumber[9]
  )
}

/**
 * Returns six digits: 000 followed by the three-digit code of a deposit money bank, or 9 followed
 * by the five-digit code of any other institution.
 */
function institutionOf({ code, type }: Pick<Bank, 'code' | 'type'>): string | null {
  const digits = code.replace(/^\D+/, '')
  if (/^\d{5}$/.test(digits)) return `9${digits}`
  const isDepositMoneyBank = type === 'commercial' || type === 'non_interest'
  return isDepositMoneyBank && /^\d{3}$/.test(digits) ? `000${digits}` : null
}

const WEIGHTS = [3, 7, 3]

function checkDigit(institution: string, accountNumber: string): string {
  const digits = [...institution, ...accountNumber.slice(0, 9)]
  const sum = digits.reduce((sum, digit, i) => sum + Number(digit) * WEIGHTS[i % 3]!, 0)
  return String((10 - (sum % 10)) % 10)
}
