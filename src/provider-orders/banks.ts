import { readFileSync } from 'node:fs'

/** What a bank is licensed as. */
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
  /** As switches use it: 3 digits of the CBN, 5 of other institutions, else its NIP code. */
  code: string
  name: string
  /** The name for addresses: `zenith-bank`. */
  slug: string
  /** Six digits, as NIBSS Instant Payments names the institution; null where it is not known. */
  nipCode: string | null
  type: (typeof BANK_TYPES)[number]
  /** `{code}` stands for the merchant's payment code; null where the bank has no such service. */
  ussdTemplate: string | null
  /** Whether it is known to open virtual accounts for merchants. */
  supportsVirtualAccount: boolean
  /** false once its licence is gone; it stays here for what is stored of it. */
  active: boolean
}

/** The banks of Nigeria by name: all that take transfers, as far as public lists agree on them. */
export const BANKS: readonly Bank[] = read(new URL('banks/nigeria.tsv', import.meta.url))

const byCode = new Map(BANKS.map((bank) => [bank.code, bank]))

/** The bank with exactly this code, as it is stored. */
export const bankOf = (code: string): Bank | undefined => byCode.get(code)

/** What banks whose code is no number count from. */
const ODD_IDS_FROM = 1_000_000

/** The code as a number: 58 for '058'. `MFB50094` is 1,050,094, whatever stands beside it. */
export function bankId({ code }: Pick<Bank, 'code'>): number {
  return /^\d+$/.test(code) ? Number(code) : ODD_IDS_FROM + Number(code.replace(/\D/g, ''))
}

const byId = new Map(BANKS.map((bank) => [bankId(bank), bank]))
const byNipCode = new Map(BANKS.map((bank) => [bank.nipCode, bank]))

/**
 * The bank that a caller means by an id, a code or a NIP code: 58, '58', '058' and '000013' are the
 * same one. No other zeros are added or dropped, so that no slip names another bank.
 */
export function findBank(idOrCode: number | string): Bank | undefined {
  if (typeof idOrCode === 'number') return byId.get(idOrCode)
  const id = /^[1-9]\d*$/.test(idOrCode) ? Number(idOrCode) : undefined
  return byCode.get(idOrCode) ?? byNipCode.get(idOrCode) ?? (id ? byId.get(id) : undefined)
}

function read(file: URL): Bank[] {
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
