import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { throwAwayCluster } from './cluster.ts'
import { median, type Options } from './figures.ts'
import { load } from './load.ts'
import { setUpMedusa } from './peers/medusa.ts'
import type { Peer, SetUp } from './peers/peer.ts'
import { setUpVendure } from './peers/vendure.ts'
import { untilIdle } from './server.ts'

/** What we compare with Medusa and Vendure: our routes with the same result. */
export type Compared = 'get' | 'list' | 'create' | 'cart'

type Rates = Record<Compared, number>

/** Their requests per second. */
export interface Peers {
  isRecorded: boolean
  medusa: Rates
  vendure: Rates
}

/**
 * Medusa 2.21.2 and Vendure 3.7.3 on a quiet two-core machine in November 2026, for runs that do
 * not measure them. A created product can be sold.
 */
export const RECORDED_PEERS: Peers = {
  isRecorded: true,
  medusa: { get: 45.4, list: 28.9, create: 26.4, cart: 28.1 },
  vendure: { get: 561, list: 39.8, create: 152, cart: 89.5 },
}

export const peerName = ({ isRecorded }: Peers, peer: 'medusa' | 'vendure') =>
  (peer === 'medusa' ? 'M' : 'V') + (isRecorded ? ' (recorded)' : '')

/**
 * At their pace, the requests that are open when the time ends would otherwise be a large share of
 * a measurement.
 */
const TIMES_LONGER = 3

/**
 * Installs Medusa and Vendure from npm into a temporary directory, in production mode and with
 * 10,000 products each on one embedded PostgreSQL, and measures them one after the other.
 */
export async function measurePeers(options: Options): Promise<Peers> {
  const directory = await mkdtemp(join(tmpdir(), 'tradepost-peers-'))
  const cluster = await throwAwayCluster({ max_connections: '150', shared_buffers: '512MB' })
  try {
    const superuser = new pg.Client(cluster.superuser)
    await superuser.connect()
    const measure = async (name: 'medusa' | 'vendure', setUp: SetUp): Promise<Rates> => {
      await superuser.query(`create database ${name}`)
      const connection = { ...cluster.superuser, database: name }
      const peer = await setUp({ directory: join(directory, name), connection })
      try {
        return await ratesOf(name, peer, options)
      } finally {
        await peer.stop()
      }
    }
    const vendure = await measure('vendure', setUpVendure)
    const medusa = await measure('medusa', setUpMedusa)
    await superuser.end()
    return { isRecorded: false, medusa, vendure }
  } finally {
    await cluster.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Creates come last, so that every other route has the same 10,000 products. */
async function ratesOf(name: string, peer: Peer, { seconds, rounds }: Options): Promise<Rates> {
  const rates: Rates = { get: 0, list: 0, cart: 0, create: 0 }
  for (const what of ['get', 'list', 'cart', 'create'] as const) {
    // What one result takes, as some take several requests.
    let each = 0
    for (const requests of peer.requests[what]) {
      const found: number[] = []
      for (let round = 0; round <= rounds; round++) {
        await untilIdle(peer.pid)
        const prepared = await requests()
        const time = round === 0 ? 1 : seconds * TIMES_LONGER
        found.push((await load({ ...prepared, port: peer.port, seconds: time })).perSecond)
      }
      each += 1 / median(found.slice(1))
    }
    rates[what] = 1 / each
    console.log(`${name}: ${what} ${rates[what].toFixed(1)}/s`)
  }
  return rates
}
