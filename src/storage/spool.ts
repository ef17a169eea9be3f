import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { randomText } from '../lib/random.ts'
import { storageUnavailable } from './failures.ts'

/** A file that came in whole and lies on this machine until it is put away, or refused. */
export interface Spooled {
  path: string
  bytes: number
  sha256: Buffer
  /** Its first bytes, which tell its type. */
  head: Buffer
  /** Does nothing when it was put away. */
  remove(): Promise<void>
}

const HEAD_BYTES = 512

/** What came in under way when its process was killed lies there at most so long. */
const LEFT_MS = 2 * 3_600_000

/** What is in memory already, to be spooled as it would come in. */
export async function* oneChunk(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

/**
 * Writes what comes in to a file of its own, never holding more than a few chunks in memory. Throws
 * 413 as soon as it is longer than `bytesMax`. Whatever it throws, the file is gone.
 */
export async function spool(
  directory: string,
  content: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Spooled> {
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch(refuseDisk)
  const path = join(directory, randomText(20))
  const remove = () => rm(path, { force: true })
  const file = await open(path, 'wx', 0o600).catch(refuseDisk)
  const hash = createHash('sha256')
  let bytes = 0
  let head = Buffer.alloc(0)
  try {
    for await (const chunk of content) {
      bytes += chunk.length
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      hash.update(chunk)
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]).subarray(0, HEAD_BYTES)
      await file.writeFile(chunk)
    }
  } catch (error) {
    await file.close()
    await remove()
    if (isDiskFailure(error)) throw storageUnavailable(error)
    throw error
  }
  await file.close()
  return { path, bytes, sha256: hash.digest(), head: Buffer.from(head), remove }
}

const isDiskFailure = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES'].includes(String((error as { code?: string }).code))

const refuseDisk = (error: unknown): never => {
  throw storageUnavailable(error)
}

export const tooLarge = (bytesMax: number) =>
  new Problem('too_large', 'file_too_large', `A file here has at most ${sizeOf(bytesMax)}.`)

function sizeOf(bytes: number): string {
  const mib = bytes / 1024 / 1024
  return Number.isInteger(mib) ? `${mib} MiB` : `${bytes} bytes`
}

/** Removes what processes that were killed left behind, by the clock of the file system. */
export async function pruneSpool(directory: string): Promise<void> {
  const now = Date.now()
  const names = await readdir(directory).catch(() => [])
  for (const name of names) {
    const path = join(directory, name)
    const left = await stat(path).catch(() => undefined)
    if (left && now - left.mtimeMs > LEFT_MS) await rm(path, { force: true })
  }
}
