import { rangeOf } from './addresses.ts'

const GROUPS = 8
/** What one customer of a provider has, who may change all that follows: a /64. */
const NETWORK_GROUPS = 4

/**
 * The network that an address of the internet is of: of IPv4 the address, of IPv6 its /64. Whoever
 * left while they asked has no address any more, and all of them are of one.
 */
export function networkOf(ip: string | undefined): string {
  if (ip === undefined) return ''
  const { family, address } = rangeOf(ip.replace(/%.*$/, '')) ?? { family: 'ipv4', address: ip }
  if (family === 'ipv4') return address
  const [head, tail] = address.split('::').map((side) => side.split(':').filter(Boolean))
  const given = [...head!, ...(tail ?? [])].length
  const zeros = Array.from({ length: GROUPS - given }, () => '0')
  return [...head!, ...zeros, ...(tail ?? [])].slice(0, NETWORK_GROUPS).join(':')
}
