/** What pictures can be, as the server takes them by their bytes. */
export const PICTURES = {
  types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
  bytesMax: 10 * 1024 * 1024,
  says: 'JPEG, PNG, WebP or GIF, up to 10 MiB each.',
} as const
