import { basename, dirname, resolve } from 'node:path'
import { openStorage, type Storage } from '../files/storage.ts'
import type { S3Address } from '../lib/service-urls.ts'
import { listBackups } from './parts.ts'

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
