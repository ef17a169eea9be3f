import { BlockList, isIP } from 'node:net'

/** Ranges that are of a machine, a house, a provider's inside or nobody's (RFC 6890 and after). */
const NOT_PUBLIC = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]

/** All that is public in version 6 begins with 001; of that, these are not. */
const NOT_PUBLIC_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '5f00::/16']

const blocked = listOf(NOT_PUBLIC, 'ipv4')
const blocked6 = listOf(NOT_PUBLIC_6, 'ipv6')
const global6 = listOf(['2000::/3'], 'ipv6')

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [net = '', bits] = range.split('/')
    list.addSubnet(net, Number(bits), family)
  }
  return list
}

/**
 * Whether an address is of the open internet: what a server may be made to call by somebody who
 * names an address. Forms of version 6 that carry one of version 4 are not.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !blocked.check(address, 'ipv4')
  return family === 6 && global6.check(address, 'ipv6') && !blocked6.check(address, 'ipv6')
}
