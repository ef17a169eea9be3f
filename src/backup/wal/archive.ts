import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { type Config, storageOf } from '../../config.ts'
import { type WalProgress, walLine, walProgress } from '../../db/embedded/wal.ts'
import { spoolDirectory, storeDirectory } from '../../files/files.ts'
import { openStorage } from '../../files/storage.ts'
import type { Clock } from '../../lib/clock.ts'
import { openTarget, type Target } from '../archive.ts'
import { readPassphrase } from '../seal.ts'
import { openShipper, type Shipper } from './ship.ts'

/** The WAL archive in the bucket of the files has its own prefix. */
const PREFIX = 'wal-archive/'

/** Where the embedded database is. */
export const clusterTop = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string =>
  join(DATA_DIR, 'postgres')

export const openWalArchive = (text: string, config: Config): Promise<Target> =>
  openTarget(text, storageOf(config).bucket, PREFIX)

export interface OpenedShipper {
  shipper: Shipper
  archive: Target
  line: string
  passphrase: string | undefined
  close(): void
}

/** Returns undefined if the WAL of the embedded database is not archived. */
export async function openConfiguredShipper(
  config: Config,
  superuser: ClientConfig | undefined,
): Promise<OpenedShipper | undefined> {
  const { WAL_ARCHIVE, WAL_ARCHIVE_KEY_FILE: keyFile, DATA_DIR } = config
  const top = clusterTop(config)
  const line = superuser && walLine(top)
  if (!line || !WAL_ARCHIVE) return undefined
  const archive = await openWalArchive(WAL_ARCHIVE, config)
  const passphrase = keyFile === undefined ? undefined : await readPassphrase(keyFile)
  const hasBucket = storageOf(config).bucket !== undefined
  const files = hasBucket ? undefined : await openStorage(storeDirectory(DATA_DIR))
  const shipper = openShipper({
    ...{ top, line, superuser, archive: archive.storage, passphrase, files },
    spool: spoolDirectory(DATA_DIR),
  })
  return { shipper, archive, line: line.id, passphrase, close: () => archive.storage.close() }
}

/**
 * Returns since when the database cannot be recovered to each moment; undefined if its WAL is not
 * archived.
 */
export function unprotectedSince(progress: WalProgress | undefined): Date | undefined {
  if (!progress) return undefined
  const { line, from, until } = progress
  return from && until ? until : new Date(line.since)
}

/**
 * Adds a metric for the age of the archived WAL of the embedded database. It is NaN if the WAL is
 * not archived.
 */
export const walArchiveAge = (top: string | undefined, clock: Clock) => ({
  measure(registry: Registry): void {
    new Gauge({
      name: 'tradepost_wal_archive_age_seconds',
      help: 'How long ago the last moment was to which tradepost restore --at can go back.',
      // Every process reads the same files.
      aggregator: 'max',
      registers: [registry],
      collect() {
        const since = top === undefined ? undefined : unprotectedSince(walProgress(top))
        this.set(since ? (clock.now().getTime() - since.getTime()) / 1000 : Number.NaN)
      },
    })
  },
})
