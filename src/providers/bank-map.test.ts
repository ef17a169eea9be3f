import { describe, expect, test } from 'vitest'
import { matchBanks } from './bank-lists.ts'
import { BANKS } from './banks/banks.ts'
import type { ListedBank } from './connector/types.ts'

const listed = (code: string, name: string, more: Partial<ListedBank> = {}): ListedBank => ({
  code,
  id: null,
  name,
  nipCode: null,
  isActive: true,
  ...more,
})
const matchOf = (bank: ListedBank) => matchBanks([bank]).get(bank.code)

describe("a provider's bank", () => {
  test.each([
    ['by its NIP code, whatever else it says', listed('x', 'Kuda', { nipCode: '000013' }), '058'],
    ['by its code and a similar name', listed('058', 'GTBank Plc'), '058'],
    ['by its code, in other words', listed('999992', 'OPay Digital Services (OPay)'), '999992'],
    ['by its NIP code, used as its code', listed('090267', 'Kuda Bank'), '50211'],
    ['by its name', listed('x', 'Guaranty Trust Bank'), '058'],
    ['by its name, with a legal form', listed('x', 'ZENITH BANK PLC'), '057'],
    ['by its name, shortened', listed('x', 'Moniepoint MFB'), '50515'],
    ['by a nickname', listed('x', 'UBA'), '033'],
  ])('is ours %s', (_title, bank, code) => {
    expect(matchOf(bank)).toBe(code)
  })

  test.each([
    ['the code of a bank with another name', listed('058', 'Kuda Bank')],
    ['the code of a bank, and no similar name', listed('058', 'Bank of Nigeria')],
    ['the name of a bank with another NIP code', listed('x', 'Zenith Bank', { nipCode: '999999' })],
    ['a name that only begins the same', listed('x', 'Access Microfinance Bank')],
    ['an unknown name', listed('629', 'Paystack-Titan')],
    ['no name', listed('x', 'Bank PLC')],
  ])('is none of ours with %s', (_title, bank) => {
    expect(matchOf(bank)).toBeUndefined()
  })

  test('is found for every bank in our list, by NIP code or name', () => {
    const same = BANKS.map(({ code, name, nipCode, active }) =>
      listed(code, name, { nipCode, isActive: active }),
    )
    const named = BANKS.map(({ code, name }) => listed(`x${code}`, `${name} Limited`))
    for (const bank of same)
      expect([bank.name, matchBanks(same).get(bank.code)]).toEqual([bank.name, bank.code])
    expect([...matchBanks(named)]).toEqual(BANKS.map(({ code }) => [`x${code}`, code]))
  })
})

describe('two banks that could be the same one of ours', () => {
  test.each([
    ['the active one', { isActive: false }, {}],
    ['the one with the NIP code', {}, { nipCode: '000013' }],
  ])('are decided for %s', (_title, first, second) => {
    const banks = [
      listed('a', 'Guaranty Trust Bank', first),
      listed('b', 'Guaranty Trust Bank', second),
    ]
    expect([...matchBanks(banks)]).toEqual([['b', '058']])
    expect([...matchBanks(banks.reverse())]).toEqual([['b', '058']])
  })

  test('are decided for the one with our code', () => {
    const banks = [
      listed('a', 'x', { nipCode: '000013' }),
      listed('058', 'y', { nipCode: '000013' }),
    ]
    expect([...matchBanks(banks)]).toEqual([['058', '058']])
  })

  test('are otherwise not decided', () => {
    const banks = [listed('a', 'GTBank'), listed('b', 'Guaranty Trust Bank')]
    expect([...matchBanks(banks)]).toEqual([])
  })
})
