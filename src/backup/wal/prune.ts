import type { Storage } from '../../files/storage.ts'
import { type BaseNotes, type Description, listBackups, nameAt, readDescription } from '../parts.ts'
import { archivedFile, BASE, compact, inside, listLines } from './objects.ts'

/** A base backup in an archive. */
export interface Base {
  line: string
  made: Description
  notes: BaseNotes
}

/** Returns the complete base backups of all lines, oldest first. */
export async function listBases(archive: Storage): Promise<Base[]> {
  const found: Base[] = []
  for (const line of await listLines(archive)) {
    const bases = inside(archive, `${line}/${BASE}`)
    for (const name of await listBackups(bases)) {
      const made = await readDescription(bases, name)
      if (made.base) found.push({ line, made, notes: made.base })
    }
  }
  return found.sort((a, b) => a.notes.endedAt.localeCompare(b.notes.endedAt))
}

/** How long parts without a description may belong to a base backup that is being made. */
const UNFINISHED_MS = 2 * 24 * 3_600_000

/**
 * Removes all base backups except for the newest ones, and all WAL and files that none of these
 * needs. Returns the names of the removed base backups.
 */
export async function pruneArchive(
  archive: Storage,
  keep: number,
  current: string,
  now: Date,
): Promise<string[]> {
  const bases = await listBases(archive)
  const removed = bases.slice(0, Math.max(0, bases.length - keep))
  const kept = bases.slice(removed.length)
  // The description goes first: without it, nobody takes the rest for a backup.
  for (const { line, made } of removed) await archive.delete(`${line}/${BASE}${made.name}.json`)
  const lines = new Map<string, Base | undefined>()
  for (const line of await listLines(archive)) {
    lines.set(
      line,
      kept.find((base) => base.line === line),
    )
  }
  for (const name of (await archive.list()).sort(descriptionLast)) {
    const at = name.indexOf('/')
    const line = name.slice(0, at)
    if (!lines.has(line)) continue
    const oldest = lines.get(line)
    const inner = name.slice(at + 1)
    const isGone = removed.some(
      (base) => base.line === line && inner.startsWith(`${BASE}${base.made.name}.`),
    )
    const isNeeded = !isGone && (oldest ? needs(oldest, inner, now) : line === current)
    if (!isNeeded) await archive.delete(name)
  }
  return removed.map(({ made }) => made.name)
}

/** A line is known by its description until everything else of it is gone. */
const descriptionLast = (a: string, b: string): number =>
  Number(a.endsWith('/line.json')) - Number(b.endsWith('/line.json')) || a.localeCompare(b)

/** Returns whether the oldest base backup that is kept, or a later one, needs an object. */
function needs({ made, notes }: Base, name: string, now: Date): boolean {
  if (name.startsWith('wal/')) {
    const segment = name.slice('wal/'.length)
    return segment.length < 24 || segment.slice(0, 24) >= notes.segment
  }
  const file = archivedFile(name)
  if (file) {
    // A file that was there before this backup, but no longer during it, has been deleted.
    return file.at >= compact(new Date(made.madeAt)) || notes.files.includes(file.key)
  }
  if (name.startsWith(BASE)) {
    const base = name.slice(BASE.length).replace(/\.\w+$/, '')
    return base >= made.name || base >= nameAt(new Date(now.getTime() - UNFINISHED_MS))
  }
  return true
}
