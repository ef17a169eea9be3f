import { describe, expect, test } from 'vitest'
import { BANKS } from '../../../test/providers/doubles/paystack/banks.ts'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import { paystack } from './connector.ts'
import { openPaystack, ZENITH } from './paystack.fixture.ts'

const { call } = await openPaystack()
const { banks, resolveAccount } = paystack.accounts!

describe('the list of banks', () => {
  test('has codes, numbers and NIP codes', async () => {
    const found = valueIn(await banks(call()))
    expect(found.length).toBe(BANKS.length)
    expect(found).toContainEqual({
      code: '50211',
      id: '67',
      name: 'Kuda Bank',
      nipCode: '090267',
      isActive: true,
    })
  })
})

describe('an account', () => {
  const resolve = (accountNumber: string, code = ZENITH.code) =>
    resolveAccount(call(), { bank: { ...ZENITH, code }, accountNumber })

  test('or its bank can be unknown', async () => {
    expect(shown(await resolve('9999000000'))).toBe('refused unknown_account')
    expect(shown(await resolve('0123456789', '998'))).toBe('refused unknown_bank')
  })
})
