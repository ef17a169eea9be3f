import { expect, test } from 'vitest'
import { hashOf, hintOf, isWellFormed, newKey } from './format.ts'

/** Calculated by hand once, so that the format cannot silently change and lock everyone out. */
const KNOWN = 'sk_test_0123456789abcdefghijklmnopqrstuv473WsI'

test('a key ends with the CRC-32 of its other characters, in base 62', () => {
  expect(isWellFormed(KNOWN)).toBe(true)
  expect(hintOf(KNOWN)).toBe('sk_test_…3WsI')
})

test('new keys are well-formed and unique', () => {
  const keys = Array.from({ length: 500 }, (_, i) =>
    newKey(i % 2 ? 'secret' : 'public', i % 3 === 0),
  )
  expect(keys.filter((key) => !isWellFormed(key))).toEqual([])
  expect(new Set(keys).size).toBe(500)
  expect(newKey('public', true)).toMatch(/^pk_live_/)
})

test('a change of any single character is detected', () => {
  const key = newKey('secret', true)
  for (let i = 0; i < key.length; i++) {
    const other = key[i] === 'x' ? 'y' : 'x'
    expect(isWellFormed(key.slice(0, i) + other + key.slice(i + 1))).toBe(false)
  }
})

test('only the hash is stored', () => {
  expect(hashOf('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})
