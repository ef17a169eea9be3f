import type { Readable } from 'node:stream'
import type { Db } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { THUMBNAIL_TYPE } from '../../../files/images.ts'
import { notFound } from '../../../lib/problem.ts'
import { hashOf, type MediaRow, mediaRecord, parseMediaName } from '../core/media.ts'
import { selectMediaById } from './queries.ts'

interface Shown {
  file: { bytes: number; sha256: Buffer; type: string }
  /** Whether the content at this URL never changes. */
  isFinal: boolean
  open(): Promise<Readable>
}

/**
 * Finds the content for an image URL. Once an image is re-encoded, its original is no longer
 * served, because it contains the metadata that cameras add. Its URL then redirects to the new
 * image.
 */
export async function findImageContent(
  { db, files }: Pick<Deps, 'db' | 'files'>,
  name: string,
): Promise<Shown | { movedTo: string }> {
  const parsed = parseMediaName(name)
  const row = parsed && (await selectMediaById(db, parsed, parsed.id))
  if (!row || row.status === 'Failed') throw notFound('media')
  const found = fileOf(row, parsed.hash)
  if (!found) throw notFound('media')
  if (found === 'original' && row.status === 'Ready') {
    // Redirects to a path, because pages only show images from their own origin.
    return { movedTo: mediaRecord(row, '').url! }
  }
  const { sha256, type } =
    found === 'original' ? { sha256: row.original_sha256, type: row.content_type } : found
  const blob = await files.find(db, parsed, sha256)
  return {
    file: { bytes: blob.bytes, sha256, type },
    isFinal: found !== 'original',
    open: () => files.open(blob),
  }
}

function fileOf(row: MediaRow, hash: string) {
  const { original_sha256, picture_sha256, thumbnail_sha256, content_type } = row
  const is = (sha256: Buffer | null): sha256 is Buffer => sha256 !== null && hashOf(sha256) === hash
  // A re-encoded image can be identical to the original.
  if (is(picture_sha256)) return { sha256: picture_sha256, type: content_type }
  if (is(thumbnail_sha256)) return { sha256: thumbnail_sha256, type: THUMBNAIL_TYPE }
  return is(original_sha256) ? 'original' : undefined
}

export interface ImageSizes {
  small: string
  whole: string
}

/**
 * Returns the paths of both sizes of the image at a path; undefined if it has not been re-encoded
 * yet or does not exist.
 */
export async function sizesOf(db: Db, path: string): Promise<ImageSizes | undefined> {
  const parsed = parseMediaName(path.replace(/^\/media\//, ''))
  const row = parsed && (await selectMediaById(db, parsed, parsed.id))
  if (row?.status !== 'Ready' || !fileOf(row, parsed!.hash)) return undefined
  const { thumbnailUrl, url } = mediaRecord(row, '')
  return { small: thumbnailUrl!, whole: url! }
}
