import { fileURLToPath } from 'node:url'

/**
 * Returns the path of a file or folder of this package, given relative to its root. A release runs
 * from `dist/`, which is beside `src/`, so bundled code must be directly in `dist/`.
 */
export const fromRoot = (path: string): string =>
  fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Returns how people run this program, such as `npx tradepost`; `bin/tradepost.js` knows. */
export const command = (): string => process.env.TRADEPOST_COMMAND ?? 'npx tradepost'
