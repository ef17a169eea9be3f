/** Types of content that its first bytes tell: text as latin1, from a place. */
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

/** The type of a file by its first bytes; `application/octet-stream` for what they do not tell. */
export function typeOf(head: Buffer): string {
  const text = head.toString('latin1')
  const found = KINDS.find(([at, begins]) => text.startsWith(begins, at))
  return found?.[2] ?? 'application/octet-stream'
}
