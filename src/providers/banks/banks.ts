import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { invalid } from '../../lib/problem.ts'
import { normalisedBy } from '../../lib/text.ts'
import { fromRoot } from '../../root.ts'

export const BANK_TYPES = [
  'commercial',
  'non_interest',
  'merchant',
  'microfinance',
  'payment_service',
  'mobile_money',
  'mortgage',
  'finance',
] as const

export interface Bank {
  /**
   * The code in interbank switches: 3 digits for CBN banks, 5 for other institutions. If there is
   * none, the NIP code.
   */
  code: string
  name: string
  /** The name in URLs: `zenith-bank`. */
  slug: string
  /** The six digits that identify the institution in NIBSS Instant Payments; null if unknown. */
  nipCode: string | null
  type: (typeof BANK_TYPES)[number]
  /**
   * A USSD code in which `{code}` is replaced by the merchant's payment code; null if the bank
   * doesn't offer this service.
   */
  ussdTemplate: string | null
  /** Whether the bank is known to open virtual accounts for merchants. */
  supportsVirtualAccount: boolean
  /**
   * False once the bank has lost its licence. It stays in the list because stored records refer to
   * it.
   */
  active: boolean
}

/** Nigeria's banks by name: every bank that accepts transfers, according to public lists. */
export const BANKS: readonly Bank[] = read(fromRoot('src/providers/banks/nigeria.tsv'))

const byCode = new Map(BANKS.map((bank) => [bank.code, bank]))

export const bankOf = (code: string): Bank | undefined => byCode.get(code)

/** The first of the ids given to banks whose code is not a number. */
const ODD_IDS_FROM = 1_000_000

/**
 * Returns the code as a number: 58 for '058'. The number never depends on which banks are listed:
 * `MFB50094` is always 1,050,094.
 */
export function bankId({ code }: Pick<Bank, 'code'>): number {
  return /^\d+$/.test(code) ? Number(code) : ODD_IDS_FROM + Number(code.replace(/\D/g, ''))
}

const byId = new Map(BANKS.map((bank) => [bankId(bank), bank]))
const byNipCode = new Map(BANKS.map((bank) => [bank.nipCode, bank]))

/**
 * Finds a bank by an id, a code or a NIP code: 58, '58', '058' and '000013' are the same bank.
 * Zeros are not added or removed in any other case, so that a typo does not match another bank.
 */
export function findBank(idOrCode: number | string): Bank | undefined {
  if (typeof idOrCode === 'number') return byId.get(idOrCode)
  const id = /^[1-9]\d*$/.test(idOrCode) ? Number(idOrCode) : undefined
  return byCode.get(idOrCode) ?? byNipCode.get(idOrCode) ?? (id ? byId.get(id) : undefined)
}

function read(file: string): Bank[] {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
  return lines.map((line) => {
    const [code = '', nipCode = '', type = '', name = '', ussdTemplate = '', notes = ''] =
      line.split('\t')
    return {
      code,
      name,
      slug: slugOf(name),
      nipCode: orNull(nipCode),
      type: type as Bank['type'],
      ussdTemplate: orNull(ussdTemplate),
      supportsVirtualAccount: notes === 'virtual',
      active: notes !== 'closed',
    }
  })
}

function slugOf(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return words.join('-')
}

function orNull(text: string): string | null {
  return text === '-' ? null : text
}

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

/** Common bank names that are not part of the official name or slug, keyed by bank code. */
const NICKNAMES: Readonly<Record<string, readonly string[]>> = {
  '011': ['fbn', 'firstbank'],
  '023': ['citi bank'],
  '030': ['hbng'],
  '032': ['ubn', 'unionbank'],
  '033': ['uba'],
  '035': ['alat', 'wemabank'],
  '044': ['accessbank'],
  '050': ['eco bank', 'ebn'],
  '057': ['zenithbank'],
  '058': ['gtb', 'gtbank', 'gt bank', 'gtco'],
  '063': ['diamond bank'],
  '068': ['scb', 'stanchart'],
  '070': ['fidelitybank'],
  '076': ['skye bank', 'polarisbank'],
  '082': ['keystonebank'],
  '214': ['fcmb'],
  '215': ['unitybank'],
  '221': ['ibtc', 'stanbicibtc'],
  '232': ['sterlingbank'],
  '50211': ['kuda bank'],
  '50515': ['monie point', 'teamapt'],
  '999991': ['palm pay'],
  '999992': ['o pay', 'paycom'],
}

export const bankNicknames = (code: string): readonly string[] => NICKNAMES[code] ?? []

/** The names of the bank field in requests, which are the same in every operation. */

const BANK_NAMES = ['bankCode', 'bank', 'bank_code', 'settlement_bank'] as const

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
