/** What we compare with Medusa and Vendure: our routes with the same result. */
export type Compared = 'get' | 'list' | 'create' | 'cart'

/** Their requests per second. */
export interface Peers {
  isRecorded: boolean
  medusa: Record<Compared, number>
  vendure: Record<Compared, number>
}

/**
 * Medusa 2.21.2 and Vendure 3.7.3 on a quiet two-core machine in November 2026, for runs that do
 * not measure them. A created product can be sold.
 */
export const RECORDED_PEERS: Peers = {
  isRecorded: true,
  medusa: { get: 52, list: 22, create: 12.8, cart: 8.5 },
  vendure: { get: 281, list: 21, create: 58.6, cart: 35 },
}

export const peerName = ({ isRecorded }: Peers, peer: 'medusa' | 'vendure') =>
  (peer === 'medusa' ? 'M' : 'V') + (isRecorded ? ' (recorded)' : '')
