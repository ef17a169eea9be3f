import { describe, expect, test } from 'vitest'
import { BANK_TYPES, BANKS, bankId, findBank, isNuban } from './banks.ts'

const repeated = (values: (string | number)[]) =>
  values.filter((value, i) => values.indexOf(value) !== i)

describe('the banks of Nigeria', () => {
  test('each have their own id, code, NIP code and slug', () => {
    expect(repeated(BANKS.map(bankId))).toEqual([])
    expect(repeated(BANKS.map(({ code }) => code))).toEqual([])
    expect(repeated(BANKS.flatMap(({ nipCode }) => nipCode ?? []))).toEqual([])
    expect(repeated(BANKS.map(({ slug }) => slug))).toEqual([])
  })

  test('are found by all of their identifiers, and never for another bank', () => {
    for (const bank of BANKS) {
      const id = bankId(bank)
      const names = [id, String(id), bank.code, bank.nipCode ?? bank.code]
      expect(names.map((name) => findBank(name)?.code)).toEqual(names.map(() => bank.code))
    }
  })

  test('have values in the right format, and are sorted by name', () => {
    for (const { code, nipCode, type, name, slug, ussdTemplate } of BANKS) {
      expect(code).toMatch(/^(\d{3}|\d{5}|\d{6}|[A-Z]{2,3}\d{5})$/)
      expect(nipCode ?? '000000').toMatch(/^\d{6}$/)
      expect(BANK_TYPES).toContain(type)
      expect(name).toMatch(/^\S(.*\S)?$/)
      expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(ussdTemplate ?? '*1*{code}#').toMatch(/^\*\d+\*(\d+\*)?\{code\}#$/)
    }
    const names = BANKS.map(({ name }) => name.toLowerCase())
    expect(names).toEqual([...names].sort())
  })

  test('have the codes that payment switches use', () => {
    const known = [
      ['Access Bank', '044', '000014'],
      ['First Bank of Nigeria', '011', '000016'],
      ['First City Monument Bank', '214', '000003'],
      ['Guaranty Trust Bank', '058', '000013'],
      ['Kuda Microfinance Bank', '50211', '090267'],
      ['Moniepoint Microfinance Bank', '50515', '090405'],
      ['OPay', '999992', '100004'],
      ['PalmPay', '999991', '100033'],
      ['United Bank for Africa', '033', '000004'],
      ['Zenith Bank', '057', '000015'],
    ]
    for (const [name, code, nipCode] of known) {
      expect(BANKS.find((bank) => bank.name === name)).toMatchObject({ code, nipCode })
    }
    const count = (type: string) => BANKS.filter((bank) => bank.type === type).length
    expect(count('commercial')).toBeGreaterThan(25)
    expect(count('payment_service')).toBe(5)
    expect(BANKS.length).toBeGreaterThan(300)
  })
})

describe('findBank', () => {
  test('accepts an id as a number or a numeric string, and a code', () => {
    const found = [58, '58', '058', '000013'].map((name) => findBank(name)?.name)
    expect(found).toEqual(Array(4).fill('Guaranty Trust Bank'))
    expect(findBank(1_050_094)).toBe(findBank('MFB50094'))
  })

  test('guesses nothing', () => {
    const wrong = [0, -58, 58.5, Number.NaN, '', '0', '0058', '000058', ' 058', '58.0', '5e1', '-']
    expect(wrong.map(findBank)).toEqual(wrong.map(() => undefined))
  })
})

describe('isNuban', () => {
  const of = (code: string, accountNumber: string) => isNuban(findBank(code)!, accountNumber)

  test('follows the standard for deposit money banks and for others', () => {
    expect(of('011', '0000014579')).toBe(true)
    expect(of('044', '0010246780')).toBe(true)
    expect(of('50515', '5522116946')).toBe(true)
    const banks = BANKS.filter((bank) => bank.code.length === 3 && isNuban(bank, '5050114930'))
    expect(banks.map(({ code }) => code).sort()).toEqual(['035', '057', '068', '101'])
  })

  test('accepts one check digit of ten', () => {
    for (const code of ['058', '305', '50211', '90067', 'MFB50094']) {
      const right = Array.from({ length: 10 }, (_, digit) => of(code, `012345678${digit}`))
      expect(right.filter((is) => is === true)).toHaveLength(1)
    }
  })

  test('is false for anything but ten digits', () => {
    const wrong = ['', '001024678', '00102467800', '001024678O', ' 010246780']
    expect(wrong.map((number) => of('044', number))).toEqual(wrong.map(() => false))
  })

  test('is null for banks that do not follow it', () => {
    expect(['999992', '120003', '566', '090177'].map((code) => of(code, '8012345678'))).toEqual([
      null,
      null,
      null,
      null,
    ])
  })
})
