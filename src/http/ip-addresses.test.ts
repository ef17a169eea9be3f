import { describe, expect, test } from 'vitest'
import { allowList, readAddresses } from './ip-addresses.ts'

describe('readAddresses', () => {
  test('writes each address once, in canonical form', () => {
    expect(
      readAddresses([
        '10.0.0.1',
        '10.0.0.1/32',
        ' 10.0.0.0/8 ',
        '2001:0DB8:0:0::1',
        '2001:db8::1/128',
        '::ffff:192.0.2.1',
        '::ffff:192.0.2.0/120',
      ]),
    ).toEqual(['10.0.0.1', '10.0.0.0/8', '2001:db8::1', '192.0.2.1', '192.0.2.0/24'])
  })

  test.each([
    '',
    'localhost',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '::1/129',
    'fe80::1%eth0',
  ])('refuses %j', (text) => {
    expect(() => readAddresses([text])).toThrow('allowedIps')
  })

  test('refuses more than fifty', () => {
    expect(() => readAddresses(Array(51).fill('10.0.0.1'))).toThrow('at most 50')
  })
})

describe('allowList', () => {
  test.each([
    ['10.1.2.3', true],
    ['11.1.2.3', false],
    ['::ffff:10.1.2.3', true],
    ['::ffff:a01:203', true],
    ['::ffff:11.1.2.3', false],
    ['2001:db8:ffff::1', true],
    ['2001:db9::1', false],
    ['fe80::1%eth0', true],
    ['not an address', false],
    [undefined, false],
  ])('%s: %s', (ip, isAllowed) => {
    const allows = allowList(readAddresses(['10.0.0.0/8', '2001:db8::/32', 'fe80::/10']))
    expect(allows(ip)).toBe(isAllowed)
  })

  test('allows every address when empty', () => {
    expect(allowList([])('203.0.113.9')).toBe(true)
  })

  test('an IPv6 range does not match IPv4 addresses', () => {
    const allows = allowList(['::/0'])
    expect([allows('2001:db8::1'), allows('::ffff:10.0.0.1')]).toEqual([true, false])
  })
})
