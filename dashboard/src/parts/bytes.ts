/** `12 bytes`, `1.5 KiB`, `10 MiB`. */
export function bytesOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  const [value, unit] = bytes < 1024 ** 2 ? [bytes / 1024, 'KiB'] : [bytes / 1024 ** 2, 'MiB']
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${unit}`
}
