const KIB = 1024

/** The most bytes of a body, by what it is for. A route that names none of them has the first. */
export const BODY_BYTES_MAX = {
  /** The dashboard's own routes, tokens and payers' forms. */
  plain: 16 * KIB,
  /** Forms with lists or long texts. */
  form: 64 * KIB,
  /** Operations of the API. */
  operation: 256 * KIB,
  /** Where a picture may be sent as base64. */
  picture: 1024 * KIB,
}

/** How people read such a limit. */
export const sizeOf = (bytes: number): string =>
  bytes < 1024 * KIB ? `${bytes / KIB} KiB` : `${bytes / KIB / 1024} MiB`
