import type { Readable } from 'node:stream'
import type { S3Address } from '../lib/storage-url.ts'
import { openDisk } from './disk.ts'

/** From the first byte to the last one, both counted from 0 and included. */
export interface Span {
  start: number
  end: number
}

/**
 * Where files are kept, by keys that are never used twice. Each of these throws `unavailable` while
 * the store cannot be reached, or is full.
 */
export interface Storage {
  /** Puts a whole file away for good; it may be gone from `path` after that. */
  put(key: string, path: string): Promise<void>
  /** All of a file, or a part of it. Throws for one that is not there, which is a bug or damage. */
  get(key: string, span?: Span): Promise<Readable>
  /** Does nothing for a file that is not there. */
  delete(key: string): Promise<void>
  close(): void
}

/** The store that is configured: a bucket, or else the directory. */
export async function openStorage(directory: string, bucket?: S3Address): Promise<Storage> {
  if (!bucket) return openDisk(directory)
  // 60 ms and 10 MB that servers without a bucket do not spend.
  const { openS3 } = await import('./s3.ts')
  return openS3(bucket)
}
