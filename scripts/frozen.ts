// Migrations that were part of a release can never change, because a database that has applied them
// refuses to start with others. migrations/released.txt lists each with its hash.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const LIST = 'released.txt'

/** Adds all migrations in this directory to its list of released ones. */
export function freeze(dir: string): void {
  const lines = migrationsIn(dir).map((name) => `${hashOf(dir, name)}  ${name}\n`)
  writeFileSync(join(dir, LIST), lines.join(''))
}

/** Returns a line for each released migration that was changed, renamed, removed or overtaken. */
export function broken(dir: string): string[] {
  const path = join(dir, LIST)
  if (!existsSync(path)) return []
  const released = readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('  ') as [hash: string, name: string])
  const names = migrationsIn(dir)
  const known = new Set(released.map(([, name]) => name))
  const last = released.at(-1)?.[1] ?? ''
  return [
    ...released
      .filter(([, name]) => !names.includes(name))
      .map(([, name]) => `${name} was released and is missing`),
    ...released
      .filter(([hash, name]) => names.includes(name) && hashOf(dir, name) !== hash)
      .map(([, name]) => `${name} was released and has changed: correct it in a new migration`),
    ...names
      .filter((name) => !known.has(name) && name < last)
      .map((name) => `${name} is new, but comes before ${last}, which was released`),
  ]
}

const migrationsIn = (dir: string) =>
  readdirSync(dir)
    .filter((name) => name.endsWith('.sql'))
    .sort()

/** The same hash as in `schema_migrations`. */
function hashOf(dir: string, name: string): string {
  const text = readFileSync(join(dir, name), 'utf8').replaceAll('\r\n', '\n')
  return createHash('sha256').update(text).digest('hex')
}
