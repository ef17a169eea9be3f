import type { ErrorCodeEntry } from './entry.ts'

/** About files: pictures, what is downloaded, and the store of both. */
export const FILES = {
  invalid_multipart: {
    kind: 'invalid',
    means: 'The multipart body breaks off, or is not multipart.',
    mend: 'Let the HTTP library write it, and send all of it.',
  },
  too_many_parts: {
    kind: 'too_large',
    means: 'The multipart body has more files or fields than are taken at once.',
    mend: 'Send the files in several requests.',
  },
  file_too_large: {
    kind: 'too_large',
    means: 'A file, or all of a request together, is larger than the message says.',
    mend: 'Send less, or have the operator raise `UPLOAD_MEDIA_MIB` or `UPLOAD_FILE_MIB`.',
  },
  bad_picture: {
    kind: 'invalid',
    means: 'The bytes are no JPEG, PNG, WebP or GIF, are cut off, or would be too large a picture.',
    mend: 'Send a picture that opens elsewhere, of at most 40 megapixels.',
  },
  too_many_files: {
    kind: 'invalid',
    means: 'There would be more pictures or files than the message says.',
    mend: 'Delete one first; of pictures for payment pages, go on a day later.',
  },
  url_refused: {
    kind: 'invalid',
    means:
      'The server does not call this address: it is not public, or its file did not come in time.',
    mend: 'Give a public address that answers 200 itself, or send the file.',
  },
  range_not_satisfiable: {
    kind: 'unsatisfiable',
    means: 'The `Range` begins behind the end of the file.',
    mend: 'Ask for bytes that are there; `Content-Range` says how many there are.',
  },
  media_not_found: {
    kind: 'not_found',
    means: 'There is no such picture of this product or variant, or at this address any more.',
    mend: 'List the media of the product.',
  },
  digital_file_not_found: {
    kind: 'not_found',
    means: 'The product has no such digital file.',
    mend: 'List the digital files of the product.',
  },
  download_not_found: {
    kind: 'not_found',
    means: 'This is no link of ours to a file.',
    mend: 'Check that all of the link was copied.',
  },
  download_ended: {
    kind: 'gone',
    means: 'The link has expired, was revoked, or was used as often as it allows.',
    mend: 'Ask whoever sold the file for a new one.',
  },
  storage_unavailable: {
    kind: 'unavailable',
    means: 'The store of files cannot be reached, or is full; nothing was done.',
    mend: 'Send it again after `Retry-After`.',
  },
  uploads_busy: {
    kind: 'unavailable',
    means: 'Too many files come in at once, of yours or of everybody; nothing was done.',
    mend: 'Send it again after `Retry-After`.',
  },
} satisfies Record<string, ErrorCodeEntry>
