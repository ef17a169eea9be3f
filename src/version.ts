import { readFileSync } from 'node:fs'

const manifest = new URL('../package.json', import.meta.url)

/** This server's version, as in package.json. */
export const VERSION: string = JSON.parse(readFileSync(manifest, 'utf8')).version
