import { describe, expect, test } from 'vitest'
import { valueIn } from '../connector/connector.fixture.ts'
import { flutterwave } from './connector.ts'
import { openFlutterwave } from './flutterwave.fixture.ts'

const { double, call, paidCharge } = await openFlutterwave()
const { owner } = double.provider
const { balances } = flutterwave.balances!

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
})

describe('the credentials', () => {
  const [, secretHash] = flutterwave.credentials

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
