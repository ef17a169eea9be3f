import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../test/providers/doubles/faults.ts'
import { shown, valueIn } from '../connector/connector.fixture.ts'
import { flutterwave } from './connector.ts'
import { GTBANK, openFlutterwave } from './flutterwave.fixture.ts'

const { double, call, paidCharge } = await openFlutterwave()
const { owner } = double.provider
const { banks, resolveAccount } = flutterwave.accounts!
const { balances } = flutterwave.balances!
const resolve = (accountNumber: string, by = call()) =>
  resolveAccount(by, { bank: GTBANK, accountNumber })

describe('the list of banks', () => {
  test('has their codes, numbers and names', async () => {
    const all = valueIn(await banks(call()))
    expect(all).toContainEqual({
      ...{ code: '058', id: '9', name: 'GTBank Plc', nipCode: null, isActive: true },
    })
    expect(all.length).toBeGreaterThan(5)
  })

  test.each<[Omit<FaultRule, 'on'>, string]>([
    [{ kind: 'status', status: 500 }, 'notNow provider_down'],
    [{ kind: 'html' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data' }, 'unknown unreadable'],
    [{ kind: 'missing_field', field: 'data.code' }, 'unknown unreadable'],
  ])('after a fault is not shortened: %j', async (rule, expected) => {
    double.fault({ ...rule, on: 'GET /banks/*' })
    expect(shown(await banks(call()))).toBe(expected)
  })
})

describe('the holder of an account', () => {
  test('is found', async () => {
    expect(valueIn(await resolve('0123456789'))).toEqual({ accountName: 'ACCOUNT HOLDER 6789' })
  })

  test('is refused if there is no such account', async () => {
    expect(shown(await resolve('9999000000'))).toBe('refused unknown_account')
  })

  test.each<[Omit<FaultRule, 'on'>, string]>([
    [{ kind: 'status', status: 500 }, 'notNow provider_down'],
    [{ kind: 'status', status: 429, retryAfter: 2 }, 'notNow rate_limited'],
    [{ kind: 'status', status: 404 }, 'unknown inconclusive'],
    [{ kind: 'hang_before_effect' }, 'unknown timed_out'],
    [{ kind: 'missing_field', field: 'data.account_name' }, 'unknown unreadable'],
  ])('after a fault is what can be known: %j', async (rule, expected) => {
    double.fault({ ...rule, on: 'POST /accounts/resolve' })
    const deadlineMs = rule.kind.startsWith('hang') ? 400 : 10_000
    expect(shown(await resolve('0123456789', call({ deadlineMs })))).toBe(expected)
  })
})

describe('the balance', () => {
  test('has what can be paid out, and what is still to be settled', async () => {
    owner.topUp(123_456n)
    const before = valueIn(await balances(call()))
    expect(before).toEqual([{ currency: 'NGN', available_minor: 123_456n, pending_minor: 0n }])
    await paidCharge()
    expect(valueIn(await balances(call()))).toEqual([
      { currency: 'NGN', available_minor: 123_456n, pending_minor: 489_250n },
    ])
    owner.settleToWallet()
    expect(valueIn(await balances(call()))).toEqual([
      { currency: 'NGN', available_minor: 612_706n, pending_minor: 0n },
    ])
  })

  test('that cannot be read is unknown', async () => {
    double.fault({ on: 'GET /balances', kind: 'missing_field', field: 'data.available_balance' })
    expect(shown(await balances(call()))).toBe('unknown unreadable')
  })
})

describe('the probe', () => {
  test('reads the balance, and says what a person has to do', async () => {
    const report = valueIn(await flutterwave.probe(call()))
    expect(report).toMatchObject({
      ...{ accountName: null, environment: 'production', balances: [{ currency: 'NGN' }] },
    })
    expect(report.checks.map(({ name }) => name)).toEqual([
      ...['notice_url', 'allowed_addresses', 'transfers_by_api', 'settlement_to_balance', 'fees'],
    ])
  })

  test('fails with a key that is wrong, or of the other environment', async () => {
    for (const key of ['FLWSECK-other-X', 'FLWSECK_TEST-double1-X']) {
      expect(shown(await flutterwave.probe(call({ key })))).toBe('notNow credentials_refused')
    }
    double.fault({ on: '*', kind: 'refuse' })
    expect(shown(await flutterwave.probe(call()))).toBe('notNow not_reached')
  })
})

describe('the credentials', () => {
  const [secretKey, secretHash] = flutterwave.credentials

  test('are refused if they are of the other environment', () => {
    const [live, test] = ['FLWSECK-abc-X', 'FLWSECK_TEST-abc-X']
    expect(secretKey!.faultOf(live, 'production')).toBeUndefined()
    expect(secretKey!.faultOf(test, 'sandbox')).toBeUndefined()
    expect(secretKey!.faultOf(test, 'production')).toContain('live mode')
    expect(secretKey!.faultOf(live, 'sandbox')).toContain('test mode')
    for (const key of ['', 'FLWPUBK-abc-X', 'FLWSECK-abc-X\n', 'FLWSECK-', 'sk_live_x']) {
      expect(secretKey!.faultOf(key, 'production')).toMatch(/^must be the secret key/)
    }
  })

  test('are refused if the secret hash can be guessed, or cannot be a header', () => {
    expect(secretHash!.faultOf('0123456789abcdef', 'production')).toBeUndefined()
    for (const hash of [
      '',
      'short',
      'with space 0123456789',
      'é0123456789abcdef',
      `${'a'.repeat(20)}\n`,
    ]) {
      expect(secretHash!.faultOf(hash, 'production')).toContain('at least 16')
    }
  })
})
