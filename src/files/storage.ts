import { copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Readable } from 'node:stream'
import type { S3Address } from '../lib/service-urls.ts'
import { storageUnavailable } from './files.ts'

/** The positions of the first and last byte, both inclusive and counted from 0. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Stores files under keys that are never reused. Every method throws `unavailable` if storage is
 * unreachable or full.
 */
export interface Storage {
  /** Stores a whole file. It may move the file away from `path`. */
  put(key: string, path: string): Promise<void>
  /**
   * Returns a file or part of it. Throws if the file does not exist, which means a bug or data
   * loss.
   */
  get(key: string, span?: ByteRange): Promise<Readable>
  /** Does nothing if the file does not exist. */
  delete(key: string): Promise<void>
  /**
   * Returns the keys of all files, in any order, and with `top`, at least of those without a slash.
   */
  list(which?: 'all' | 'top'): Promise<string[]>
  close(): void
}

/** Returns whether a file could not be read because it does not exist. */
export const isMissing = (error: unknown): boolean =>
  (error as { code?: string }).code === 'ENOENT' || (error as Error).name === 'NoSuchKey'

/** Returns a file, or undefined if it does not exist. */
export const openIfThere = (files: Storage, key: string): Promise<Readable | undefined> =>
  files.get(key).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })

/** Opens the configured storage: the bucket if there is one, otherwise the directory. */
export async function openStorage(directory: string, bucket?: S3Address): Promise<Storage> {
  if (!bucket) return openDisk(directory)
  // Loading it only when needed saves 60 ms and 10 MB on servers without a bucket.
  const { openS3 } = await import('./s3.ts')
  return openS3(bucket)
}

/**
 * Opens a local directory. A file appears in one step, by a rename, and is durable once `put` has
 * resolved.
 */
function openDisk(directory: string): Storage {
  const pathOf = (key: string) => join(directory, key)

  return {
    async put(key, path) {
      const target = pathOf(key)
      try {
        await mkdir(dirname(target), { recursive: true, mode: 0o700 })
        await moveWhole(path, target)
        await sync(dirname(target))
        await sync(directory)
      } catch (error) {
        throw storageUnavailable(error)
      }
    },

    async get(key, span) {
      const file = await open(pathOf(key)).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? error : storageUnavailable(error)
      })
      const content = file.createReadStream({ ...span, highWaterMark: 256 * 1024 })
      // A stream that is destroyed before anyone reads it does not always close its file.
      content.once('close', () => void file.close().catch(() => {}))
      return content
    },

    async delete(key) {
      try {
        await rm(pathOf(key), { force: true })
      } catch (error) {
        throw storageUnavailable(error)
      }
    },

    async list(which = 'all') {
      // Directories beside backups can belong to others, as `lost+found` does.
      const options = { recursive: which === 'all', withFileTypes: true } as const
      const found = await readdir(directory, options).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return []
        throw storageUnavailable(error)
      })
      return found
        .filter((entry) => entry.isFile())
        .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    },

    close() {},
  }
}

async function moveWhole(from: string, to: string): Promise<void> {
  await sync(from)
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyBeside(from, to)
  }
}

/**
 * For incoming files on a different file system from the directory, where a rename is impossible.
 */
async function copyBeside(from: string, to: string): Promise<void> {
  const part = `${to}.part`
  try {
    await copyFile(from, part)
    await sync(part)
    await rename(part, to)
  } finally {
    await rm(part, { force: true })
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
