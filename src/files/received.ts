import { invalid } from '../lib/problem.ts'
import type { Files, SpooledFile, StoredFile } from './files.ts'

/** An upload that has been stored, but that no row refers to yet. */
export interface Arrived {
  name: string
  contentType: string
  stored: StoredFile
}

/** Stores uploads and passes them to `work`. Removes those that `work` does not take. */
export async function withStoredFiles<T>(
  { files }: { files: Files },
  sent: readonly (SpooledFile & { name: string })[],
  work: (arrived: readonly Arrived[]) => Promise<T>,
): Promise<T> {
  if (sent.length === 0) throw invalid({ file: ['is required'] })
  if (sent.some(({ bytes }) => bytes === 0)) throw invalid({ file: ['must not be empty'] })
  const arrived: Arrived[] = []
  try {
    for (const file of sent) {
      const { name, head } = file
      arrived.push({ name, contentType: contentTypeOf(head), stored: await files.putAway(file) })
    }
    return await work(arrived)
  } finally {
    await files.discard(arrived.map(({ stored }) => stored))
  }
}

/** Content types with known first bytes, given as latin1 text at an offset. */
const KINDS: readonly [at: number, begins: string, type: string][] = [
  [0, '%PDF-', 'application/pdf'],
  [30, 'mimetypeapplication/epub+zip', 'application/epub+zip'],
  [0, 'PK\x03\x04', 'application/zip'],
  [0, '\x1f\x8b', 'application/gzip'],
  [0, '7z\xbc\xaf\x27\x1c', 'application/x-7z-compressed'],
  [0, 'Rar!\x1a\x07', 'application/vnd.rar'],
  [0, 'ID3', 'audio/mpeg'],
  [0, 'fLaC', 'audio/flac'],
  [0, 'OggS', 'audio/ogg'],
  [8, 'WAVE', 'audio/wav'],
  [8, 'WEBP', 'image/webp'],
  [4, 'ftypM4A', 'audio/mp4'],
  [4, 'ftyp', 'video/mp4'],
  [0, '\x1a\x45\xdf\xa3', 'video/webm'],
  [60, 'BOOKMOBI', 'application/x-mobipocket-ebook'],
  [0, '\xff\xd8\xff', 'image/jpeg'],
  [0, '\x89PNG\r\n\x1a\n', 'image/png'],
  [0, 'GIF8', 'image/gif'],
]

/** Returns the type of a file by its first bytes; `application/octet-stream` if it is not known. */
export function contentTypeOf(head: Buffer): string {
  const text = head.toString('latin1')
  const found = KINDS.find(([at, begins]) => text.startsWith(begins, at))
  return found?.[2] ?? 'application/octet-stream'
}
