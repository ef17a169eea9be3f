/** The modules of a QR code: a row is `1` for dark and `0` for light. */
export interface Picture {
  size: number
  rows: string[]
}

/** As scanners want it: the light part around it four modules wide. */
const QUIET = 4

/** Dark on light in both schemes, as scanners want it; one path of a square for each module. */
export function QrCode({ picture: { size, rows }, label }: { picture: Picture; label: string }) {
  const path = rows
    .flatMap((row, y) => [...row].map((module, x) => (module === '1' ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  const whole = size + 2 * QUIET
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-QUIET} ${-QUIET} ${whole} ${whole}`}
      width={220}
      height={220}
      shapeRendering="crispEdges"
    >
      <rect x={-QUIET} y={-QUIET} width={whole} height={whole} rx={2} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  )
}
