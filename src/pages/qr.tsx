import { encode } from 'uqr'

/**
 * A QR code as inline SVG, one path of horizontal runs; the quiet zone is four modules, as the
 * standard wants. Always dark on white: scanners fail on the inverse.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={data.map(runsOf).join('')} fill="#000" />
    </svg>
  )
}

/** `M2 5h3v1h-3z` for each run of dark modules in a row. */
function runsOf(row: boolean[], y: number): string {
  let path = ''
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue
    const start = x
    while (row[x + 1]) x++
    const length = x - start + 1
    path += `M${start} ${y}h${length}v1h-${length}z`
  }
  return path
}
