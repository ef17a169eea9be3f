import { Problem } from '../lib/problem.ts'
import type { Channel, Provider, Providers, Service } from './connector/types.ts'

const CHANNELS: Channel[] = ['BANK_TRANSFER', 'USSD']

/** The simulator serves test mode; the connector configured for a channel serves live mode. */
export function openProviders(
  simulator: Provider,
  live: Partial<Record<Service, Provider>> = {},
): Providers {
  return {
    of(isLive, service) {
      const provider = isLive ? live[service] : simulator
      if (!provider) throw liveProviderMissing()
      return provider
    },
    holder(connectionId) {
      const all = [simulator, ...Object.values(live)]
      const provider = all.find((one) => one.connectionId === connectionId)
      if (!provider) throw new Error(`No provider has the connection ${connectionId}`)
      return provider
    },
    channels: (isLive) => (isLive ? CHANNELS.filter((channel) => live[channel]) : CHANNELS),
  }
}

const liveProviderMissing = () =>
  new Problem(
    'unavailable',
    'live_provider_missing',
    'No live provider is configured for this yet: nothing was done. Test keys use the simulator.',
    { retryAfterSeconds: 3600 },
  )
