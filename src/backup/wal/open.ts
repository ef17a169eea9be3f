import { join } from 'node:path'
import type { ClientConfig } from 'pg'
import { type Config, storageOf } from '../../config.ts'
import { walLine } from '../../db/embedded/wal.ts'
import { spoolDirectory, storeDirectory } from '../../files/files.ts'
import { openStorage } from '../../files/storage.ts'
import { readPassphrase } from '../seal.ts'
import { openTarget, type Target } from '../target.ts'
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
