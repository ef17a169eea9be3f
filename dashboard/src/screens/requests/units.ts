/** How long something took: `12 ms`, `1.3 s`. */
export const ms = (duration: number): string =>
  duration < 1_000 ? `${Math.round(duration)} ms` : `${(duration / 1_000).toFixed(1)} s`

/** How much was sent: `512 bytes`, `1.2 KiB`. */
export const bytes = (count: number): string =>
  count < 1_024 ? `${count} bytes` : `${(count / 1_024).toFixed(1)} KiB`
