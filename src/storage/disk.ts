import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { storageUnavailable } from './failures.ts'
import type { Storage } from './storage.ts'

/** A directory of this machine. A file appears in it whole, by a rename, and is durable then. */
export function openDisk(directory: string): Storage {
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
      // A stream that is destroyed before it was read does not always close its file.
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

/** Where the directory is another file system than that of what comes in. */
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
