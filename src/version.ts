import { readFileSync } from 'node:fs'
import { fromRoot } from './root.ts'

const manifest = fromRoot('package.json')

export const VERSION: string = JSON.parse(readFileSync(manifest, 'utf8')).version
