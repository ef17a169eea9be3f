import { BlockList, isIP } from 'node:net'
import type { Tenant } from '../../lib/tenant.ts'
import type { Allows } from '../../outgoing/guard.ts'
import { isPublicAddress } from '../../outgoing/public-address.ts'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')

/**
 * Which addresses an endpoint may have: public ones, and in test mode those of this machine too
 * where the operator allows it.
 */
export function allowsFor({ live }: Pick<Tenant, 'live'>, loopbackAllowed: boolean): Allows {
  return live || !loopbackAllowed
    ? isPublicAddress
    : (address) => isPublicAddress(address) || isLoopback(address)
}

function isLoopback(address: string): boolean {
  // Of version 6 one address alone; a list would also match the forms that carry version 4.
  return isIP(address) === 4 ? loopback.check(address, 'ipv4') : address === '::1'
}
