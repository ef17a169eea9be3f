import { readFileSync } from 'node:fs'
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
