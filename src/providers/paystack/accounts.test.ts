import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { BANKS } from '../../../test/providers/doubles/paystack/banks.ts'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import { paystack } from './connector.ts'
import { openPaystack, ZENITH } from './paystack.fixture.ts'

const { double, call, paidCharge } = await openPaystack()
const { banks, resolveAccount } = paystack.accounts!
const { owner } = double.provider

describe('the list of banks', () => {
  test('has codes, numbers and NIP codes', async () => {
    const found = valueIn(await banks(call()))
    expect(found.length).toBe(BANKS.length)
    expect(found).toContainEqual({
      ...{ code: '50211', id: '67', name: 'Kuda Bank', nipCode: '090267', isActive: true },
    })
  })

  test.each<[Omit<FaultRule, 'on'>, string]>([
    [{ kind: 'status', status: 500 }, 'notNow provider_down'],
    [{ kind: 'html' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.code' }, 'unknown unreadable'],
  ])('is whole, or is not read: %j', async (rule, expected) => {
    double.fault({ ...rule, on: 'GET /bank' })
    expect(shown(await banks(call()))).toBe(expected)
  })
})

describe('an account', () => {
  const resolve = (accountNumber: string, code = ZENITH.code) =>
    resolveAccount(call(), { bank: { ...ZENITH, code }, accountNumber })

  test('has a holder', async () => {
    const value = { accountName: 'ACCOUNT HOLDER 6789' }
    expect(await resolve('0123456789')).toMatchObject({ kind: 'done', value })
  })

  test('or its bank can be unknown', async () => {
    expect(shown(await resolve('9999000000'))).toBe('refused unknown_account')
    expect(shown(await resolve('0123456789', '998'))).toBe('refused unknown_bank')
  })
})

describe('the balance', () => {
  test('is what payments and transfers have left', async () => {
    owner.topUp(123_456n)
    await paidCharge()
    const [balance] = valueIn(await paystack.balances!.balances(call()))
    expect(balance).toEqual({
      ...{ currency: 'NGN', available_minor: double.books.balance_minor('NGN') },
      pending_minor: null,
    })
  })
})

describe('a probe', () => {
  const probe = (key: string | undefined, live = true) =>
    paystack.probe(call({ live, ...(key !== undefined && { key }) }))

  test('reads the balance, and says what a person has to do', async () => {
    const report = valueIn(await probe(undefined))
    expect(report).toMatchObject({ environment: 'production', balances: [{ currency: 'NGN' }] })
    expect(report.checks.map(({ name }) => name)).toContain('automatic_settlement')
    expect(double.calls.every(({ method }) => method === 'GET' || method === 'POST')).toBe(true)
  })

  test('refuses a key that is wrong, or of the other mode', async () => {
    expect(shown(await probe('sk_live_wrong'))).toBe('notNow credentials_refused')
    const { length } = double.calls
    expect(shown(await probe('sk_test_wrong'))).toBe('notNow credentials_refused')
    expect(shown(await probe('sk_live_double1', false))).toBe('notNow credentials_refused')
    expect(double.calls.length).toBe(length)
  })

  test.each([
    ['sk_live_abc', 'production', undefined],
    ['sk_test_abc', 'sandbox', undefined],
    ['sk_test_abc', 'production', 'sk_live_'],
    ['sk_live_abc', 'sandbox', 'sk_test_'],
    ['pk_live_abc', 'production', 'sk_live_'],
    ['sk_live_abc\n', 'production', 'sk_live_'],
    ['', 'sandbox', 'sk_test_'],
  ] as const)('says whether %j may be stored for %s', (key, environment, prefix) => {
    const fault = paystack.credentials[0]!.faultOf(key, environment)
    if (prefix === undefined) expect(fault).toBeUndefined()
    else expect(fault).toContain(prefix)
  })
})
