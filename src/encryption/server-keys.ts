import { createHash, randomBytes } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { link, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Secret } from '../lib/tokens.ts'

/** A key outside the database. It encrypts the keys in the database, and nothing else. */
export interface ServerKey {
  bytes: Buffer
  /** Identifies the key without revealing it. */
  fingerprint: Buffer
}

/** Where the server's keys come from. The first one encrypts; all of them decrypt. */
export interface ServerKeys {
  /** For people, such as `TRADEPOST_ENCRYPTION_KEY`. */
  source: string
  /** Returns the keys; none if the source does not exist yet. Throws a KeyError. */
  read(): Promise<ServerKey[]>
  /** Creates the first key, unless there is one. Undefined if only the operator can do this. */
  create?(): Promise<void>
  /** Adds a new key before the others. Undefined if only the operator can do this. */
  add?(): Promise<void>
}

/** The keys are missing, or do not fit the database. The message is the line for the operator. */
export class KeyError extends Error {}

/** Only this process cannot continue: others may have the key. */
export class MissingKeyError extends KeyError {}

const KEY_BYTES = 32

/** Shown wherever a key is missing. */
export const HOW_TO_MAKE_A_KEY =
  'make a key with "openssl rand -base64 32", keep a copy of it outside the database, and set it ' +
  'as TRADEPOST_ENCRYPTION_KEY, the same for every process on this database'

/**
 * Reads keys in base 64, separated by commas or line breaks. Throws an Error that completes
 * "NAME …".
 */
export function parseServerKeys(text: string): ServerKey[] {
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const isKey = (part: string) => /^[A-Za-z0-9+/]{43}=$/.test(part)
  if (parts.length === 0 || !parts.every(isKey)) {
    throw new Error(`must be ${KEY_BYTES} random bytes in base 64, or several of these`)
  }
  return parts.map((part) => keyOf(Buffer.from(part, 'base64')))
}

function keyOf(bytes: Buffer): ServerKey {
  const fingerprint = createHash('sha256').update(bytes).digest().subarray(0, 8)
  return { bytes, fingerprint }
}

interface KeySettings {
  TRADEPOST_ENCRYPTION_KEY: Secret | undefined
  TRADEPOST_ENCRYPTION_KEY_FILE: string | undefined
  DATABASE_URL: Secret | undefined
  DATA_DIR: string
}

/** Returns the source that these settings name. Reads nothing yet. */
export function serverKeysOf(settings: KeySettings): ServerKeys {
  const { TRADEPOST_ENCRYPTION_KEY: keys, TRADEPOST_ENCRYPTION_KEY_FILE: file } = settings
  if (keys) return keysInText('TRADEPOST_ENCRYPTION_KEY', keys.reveal())
  if (file) return keysInFile(file, false)
  if (settings.DATABASE_URL) return { ...NO_KEYS, source: 'TRADEPOST_ENCRYPTION_KEY' }
  return keysInFile(keyFileOf(settings.DATA_DIR), true)
}

/** Returns the file that the embedded database's key is kept in. */
export const keyFileOf = (dataDir: string): string => join(dataDir, 'encryption.key')

/**
 * Throws a KeyError if no key is set for a database of the operator's own. A file on one machine
 * would not reach the others, so none is created.
 */
export function requireServerKeys({
  DATABASE_URL,
  TRADEPOST_ENCRYPTION_KEY,
  TRADEPOST_ENCRYPTION_KEY_FILE,
}: Omit<KeySettings, 'DATA_DIR'>): void {
  if (!DATABASE_URL || TRADEPOST_ENCRYPTION_KEY || TRADEPOST_ENCRYPTION_KEY_FILE) return
  throw new KeyError(`DATABASE_URL needs an encryption key: ${HOW_TO_MAKE_A_KEY}`)
}

const NO_KEYS = { read: async () => [] }

export const keysInText = (source: string, text: string): ServerKeys => ({
  source,
  read: async () => parseServerKeys(text),
})

export function keysInFile(path: string, canCreate: boolean): ServerKeys {
  async function read(): Promise<ServerKey[]> {
    let text: string
    try {
      text = await readFile(path, 'utf8')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (canCreate && code === 'ENOENT') return []
      throw new KeyError(
        `the encryption key in ${path} cannot be read (${code}): restore it from your copy, or ` +
          'let the user who runs Tradepost read it',
      )
    }
    try {
      return parseServerKeys(text)
    } catch (error) {
      throw new KeyError(`each line of ${path} ${(error as Error).message}`)
    }
  }

  /**
   * A process that reads the file meanwhile sees all of the old content or all of the new. Only one
   * process can add a key at a time.
   */
  async function add(): Promise<void> {
    const before = await read()
    const text = textOf([randomBytes(KEY_BYTES), ...before.map(({ bytes }) => bytes)])
    await realpath(path)
      .then((file) => replace(file, text))
      .catch(cannotAdd)
  }

  /**
   * Never replaces the file: several servers can start at the same time, and a key that one of them
   * has used must stay.
   */
  const create = () => placeFirst(path, textOf([randomBytes(KEY_BYTES)])).catch(cannotAdd)

  const cannotAdd = ({ code }: NodeJS.ErrnoException) => {
    throw new KeyError(
      `a new encryption key cannot be added to ${path} (${code}): run this as the user who owns ` +
        'the file, or add the key as its first line yourself and run this again',
    )
  }
  return { source: path, read, add, ...(canCreate && { create }) }
}

const textOf = (keys: readonly Buffer[]): string =>
  keys.map((bytes) => `${bytes.toString('base64')}\n`).join('')

/**
 * Replaces a file in one step. The new one has the owner and the permissions of the old one,
 * because the servers that read it can run as another user than this command.
 */
async function replace(path: string, text: string): Promise<void> {
  const { uid, gid, mode } = await stat(path)
  const temporary = temporaryFor(path)
  try {
    await write(temporary, text, async (file) => {
      const made = await file.stat()
      if (made.uid !== uid || made.gid !== gid) await file.chown(uid, gid)
      await file.chmod(mode & 0o777)
    })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await synchronise(dirname(path))
}

/** Writes a new file. If another process has written it in the meantime, that one stays. */
async function placeFirst(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const temporary = temporaryFor(path)
  try {
    await write(temporary, text, (file) => file.chmod(0o600))
    await link(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(temporary, { force: true })
  }
  await synchronise(dirname(path))
}

const temporaryFor = (path: string): string => `${path}.${randomBytes(6).toString('hex')}.tmp`

/** The key must be on the disk before the database contains anything that needs it. */
async function write(
  path: string,
  text: string,
  setAccess: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await setAccess(file)
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function synchronise(directory: string): Promise<void> {
  const opened = await open(directory)
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}
