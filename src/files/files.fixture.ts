import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Returns a function that counts the files in a server’s directory: stored ones, or incoming ones.
 */
export function filesOf(directory: string) {
  return async (part: 'spool' | 'files'): Promise<number> => {
    const all = await readdir(join(directory, part), {
      recursive: true,
      withFileTypes: true,
    }).catch(() => [])
    return all.filter((entry) => entry.isFile()).length
  }
}
