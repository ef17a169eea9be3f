import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Counts the files that a server keeps in its directory: those in use, or those coming in. */
export function filesOf(directory: string) {
  return async (part: 'spool' | 'files'): Promise<number> => {
    const all = await readdir(join(directory, part), {
      recursive: true,
      withFileTypes: true,
    }).catch(() => [])
    return all.filter((entry) => entry.isFile()).length
  }
}
