import type { ClientConfig } from 'pg'
import { findLastBackup } from '../backup/make.ts'
import { type Config, storageOf } from '../config.ts'
import { type Db, openDatabase } from '../db/database.ts'
import { examine } from '../db/replicas.ts'
import { openStorage } from '../files/storage.ts'
import { hostOf, readSmtpUrl, urlsOf } from '../lib/service-urls.ts'
import { openSmtp } from '../mail/smtp.ts'

/** One check of `tradepost doctor`. */
export interface Check {
  name: string
  level: 'ok' | 'warn' | 'bad'
  says: string
  fix?: string
  /** True if there is no database to check. */
  isMissing?: true
}

export const ok = (name: string, says: string): Check => ({ name, level: 'ok', says })

export const warn = (name: string, says: string, fix: string): Check => ({
  name,
  level: 'warn',
  says,
  fix,
})

export const bad = (name: string, says: string, fix: string): Check => ({
  name,
  level: 'bad',
  says,
  fix,
})

/** A replica that has replayed less than this of the last commits is worth a warning. */
const CATCH_UP_MS = 1_000

/**
 * Checks each replica. No problem makes the check fail, because the server then reads from the
 * primary.
 */
export async function* checkReplicas(
  primary: ClientConfig,
  { DATABASE_REPLICA_URL: url }: Pick<Config, 'DATABASE_REPLICA_URL'>,
): AsyncGenerator<Check> {
  if (!url) return
  const db = openDatabase({ connection: primary, connectionsMax: 1 })
  try {
    for (const connectionString of urlsOf(url.reveal())) {
      const replica = openDatabase({ connection: { connectionString }, connectionsMax: 1 })
      const host = hostOf(connectionString)
      try {
        const { problem, lagMs } = await examine(db, replica, CATCH_UP_MS)
        if (problem === undefined) yield ok('replica', `${host} has every commit of the primary`)
        else yield warn('replica', `${host}: ${problem}${behind(lagMs)}`, FIX)
      } catch (error) {
        yield warn('replica', `${host} cannot be used: ${(error as Error).message}`, FIX)
      } finally {
        await replica.close()
      }
    }
  } finally {
    await db.close()
  }
}

const behind = (lagMs: number | undefined): string =>
  lagMs === undefined ? '' : ` by ${Math.round(lagMs)} ms`

const FIX =
  'repair the standby, or remove it from DATABASE_REPLICA_URL; until then, reads use the primary'

/** As in the alert rules. */
const BACKUP_MS_MAX = 36 * 3_600_000

/** Checks that `tradepost backup` has made a backup lately. */
export async function* checkBackups(db: Db, now: Date): AsyncGenerator<Check> {
  const { made_at: madeAt, needed_since: since } = await findLastBackup(db)
  const at = madeAt ?? since
  // Without a business, there is nothing to back up.
  if (!at) return
  // The clock of the machine that made the backup can be ahead.
  const ms = Math.max(0, now.getTime() - at.getTime())
  const hours = Math.floor(ms / 3_600_000)
  const age = hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`
  const says = madeAt ? `the last backup is ${age} old` : `no backup since the start, ${age} ago`
  yield ms <= BACKUP_MS_MAX ? ok('backup', says) : warn('backup', says, BACKUP_FIX)
}

const BACKUP_FIX = 'schedule tradepost backup, unless you back up the database in another way'

const SILENCE_MS = 10_000

/** Checks that the mail server accepts a connection and the password. It sends no email. */
export async function* checkMail({
  SMTP_URL: url,
  MAIL_FROM: from,
}: Config): AsyncGenerator<Check> {
  if (!url || !from) return
  const smtp = await openSmtp({ url, from, timeoutsMs: { silence: SILENCE_MS } })
  const problem = await smtp.problem()
  smtp.close()
  const { host, auth } = readSmtpUrl(url.reveal())
  const where = `the mail server ${host}`
  yield problem === undefined
    ? ok('mail', `${where} can be reached${auth ? ' and accepts the password' : ''}`)
    : warn('mail', `${where} cannot be used: ${problem}`, MAIL_FIX)
}

const MAIL_FIX = 'correct SMTP_URL, or repair the server; until then, emails wait'

/** No file has this key. */
const NO_KEY = 'tradepost-doctor'

/** Checks that the bucket in STORAGE_URL responds and can be read. */
export async function* checkBucket(config: Config): AsyncGenerator<Check> {
  const { bucket } = storageOf(config)
  if (!bucket) return
  const storage = await openStorage('', bucket)
  const where = `the bucket ${bucket.bucket} at ${bucket.endpoint}`
  try {
    const found = await storage.get(NO_KEY).catch((error: Error) => {
      if (error.name === 'NoSuchKey') return undefined
      throw error
    })
    found?.destroy()
    yield ok('bucket', `${where} can be read`)
  } catch (error) {
    const { name, message } = ((error as Error).cause ?? error) as Error
    yield bad('bucket', `${where} cannot be read: ${message || name}`, BUCKET_FIX)
  } finally {
    storage.close()
  }
}

const BUCKET_FIX = 'correct STORAGE_URL; the key must be able to get, put, delete and list objects'
