import { basename, dirname, resolve } from 'node:path'
import { openStorage, type Storage } from '../files/storage.ts'
import type { S3Address } from '../lib/service-urls.ts'
import { listBackups } from './parts.ts'

/* A backup is a tar archive, so that people can also read it with other tools. It contains only
 * plain files with short names. */

const BLOCK = 512

/** The header of one file in the format of POSIX.1-1988. */
function headerOf(name: string, bytes: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  const field = (text: string, at: number) => void block.write(text, at, 'latin1')
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, '0')
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for a backup`)
  block.write(name, 0, 'utf8')
  field(octal(0o600, 8), 100)
  field(octal(0, 8), 108)
  field(octal(0, 8), 116)
  field(octal(bytes, 12), 124)
  field(octal(0, 12), 136)
  field(' '.repeat(8), 148)
  field('0', 156)
  field('ustar\u000000', 257)
  field(`${octal(checksumOf(block), 7)}\u0000 `, 148)
  return block
}

function checksumOf(block: Buffer): number {
  let sum = 0
  for (const byte of block) sum += byte
  return sum
}

const padding = (bytes: number): Buffer => Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK)

export async function* fileEntry(
  name: string,
  bytes: number,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void> {
  yield headerOf(name, bytes)
  let written = 0
  for await (const chunk of content) {
    written += chunk.length
    yield chunk
  }
  if (written !== bytes) throw new Error(`${name} has ${written} bytes instead of ${bytes}`)
  yield padding(bytes)
}

export const bytesEntry = (name: string, content: Buffer): Buffer =>
  Buffer.concat([headerOf(name, content.length), content, padding(content.length)])

export const endOfArchive = (): Buffer => Buffer.alloc(2 * BLOCK)

export interface Entry {
  name: string
  bytes: number
  /** Must be read to its end before the next entry. */
  content(): AsyncGenerator<Buffer, void>
}

/** Reads entries one after another. */
export function openArchive(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  let left: Buffer = Buffer.alloc(0)
  let upcoming: Entry | undefined

  /** Returns between 1 and `most` bytes. */
  async function some(most: number): Promise<Buffer> {
    while (left.length === 0) {
      const { value, done } = await chunks.next()
      if (done) throw new Error('the backup is incomplete')
      left = value
    }
    const taken = left.subarray(0, most)
    left = left.subarray(most)
    return taken
  }

  async function exactly(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let missing = bytes; missing > 0; ) {
      const part = await some(missing)
      parts.push(part)
      missing -= part.length
    }
    return Buffer.concat(parts)
  }

  async function* contentOf(bytes: number): AsyncGenerator<Buffer, void> {
    for (let missing = bytes; missing > 0; ) {
      const part = await some(missing)
      missing -= part.length
      yield part
    }
    await exactly(padding(bytes).length)
  }

  async function read(): Promise<Entry | undefined> {
    const block = await exactly(BLOCK)
    if (block[0] === 0) return undefined
    const text = (at: number, length: number) =>
      block.toString('utf8', at, at + length).replace(/\0.*$/s, '')
    const sum = Number.parseInt(text(148, 8), 8)
    block.fill(' ', 148, 156)
    if (sum !== checksumOf(block)) throw new Error('the backup is damaged')
    const bytes = Number.parseInt(text(124, 12), 8)
    return { name: text(0, 100), bytes, content: () => contentOf(bytes) }
  }

  return {
    /** Returns the next entry without taking it; undefined at the end. */
    async peek(): Promise<Entry | undefined> {
      upcoming ??= await read()
      return upcoming
    },
    async next(): Promise<Entry> {
      const entry = upcoming ?? (await read())
      upcoming = undefined
      if (!entry) throw new Error('the backup is incomplete')
      return entry
    },
  }
}

export type Archive = ReturnType<typeof openArchive>

export async function readJson<T>(entry: Entry, name: string): Promise<T> {
  if (entry.name !== name) throw new Error(`the backup has ${entry.name} instead of ${name}`)
  const parts: Buffer[] = []
  for await (const part of entry.content()) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString('utf8'))
}

/** Where backups are. `title` is for people. */
export interface Target {
  storage: Storage
  title: string
  /** The backup that was named; undefined for the newest. */
  name: string | undefined
}

/** Backups in the bucket of the files have their own prefix. */
const PREFIX = 'backups/'

/**
 * Reads `bucket`, `bucket:NAME`, a directory, or the path of a backup's `.json` file. Throws if
 * there is no bucket.
 */
export async function openTarget(
  text: string,
  bucket: S3Address | undefined,
  inBucket = PREFIX,
): Promise<Target> {
  const [, named, name] = /^bucket(:(.+))?$/.exec(text) ?? []
  if (text === 'bucket' || named) {
    if (!bucket) throw new Error('there is no bucket: set STORAGE_URL, or name a directory')
    const prefix = bucket.prefix + inBucket
    const storage = await openStorage('', { ...bucket, prefix })
    return { storage, title: `${bucket.bucket}/${prefix}`, name: name && withoutEnd(name) }
  }
  const path = resolve(text)
  const isFile = path.endsWith('.json')
  const directory = isFile ? dirname(path) : path
  const storage = await openStorage(directory)
  return { storage, title: directory, name: isFile ? withoutEnd(basename(path)) : undefined }
}

const withoutEnd = (name: string): string => name.replace(/\.json$/, '')

/** Returns the name of the backup that was named, or else, of the newest. Throws without one. */
export async function nameIn({ storage, title, name }: Target): Promise<string> {
  const names = await listBackups(storage)
  const found = name === undefined ? names.at(-1) : names.find((one) => one === name)
  if (found) return found
  throw new Error(
    name ? `there is no backup ${name} in ${title}` : `there is no backup in ${title}`,
  )
}
