import { readFileSync } from 'node:fs'
import { fromRoot } from './root.ts'

const manifest = fromRoot('package.json')

/** This server's version, as in package.json. */
export const VERSION: string = JSON.parse(readFileSync(manifest, 'utf8')).version
