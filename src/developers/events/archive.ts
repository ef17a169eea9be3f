import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExportedRow, exportLine } from './export.ts'

export interface Archive {
  /** Resolves when these events of one tenant are on disk. */
  append(rows: readonly ExportedRow[]): Promise<void>
}

const NEW_LINE = 10

/**
 * Opens a directory with one file for each business, mode and month, such as
 * `101-live/2026-11.ndjson`. Only the owner of the files can read them.
 */
export const openArchive = (directory: string): Archive => ({
  async append(rows) {
    for (const [file, ofFile] of Map.groupBy(rows, fileOf)) {
      const path = join(directory, file)
      await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
      await appendTo(path, ofFile.map(exportLine).join(''))
    }
  },
})

const fileOf = ({ business_id, live, at }: ExportedRow): string =>
  `${business_id}-${live ? 'live' : 'test'}/${at.slice(0, 7)}.ndjson`

async function appendTo(path: string, lines: string): Promise<void> {
  const file = await open(path, 'a+', 0o600)
  try {
    const { size } = await file.stat()
    const last = Buffer.alloc(1, NEW_LINE)
    if (size > 0) await file.read(last, 0, 1, size - 1)
    // A crash can have cut off the last line, which was then not deleted from the database.
    await file.appendFile(last[0] === NEW_LINE ? lines : `\n${lines}`)
    await file.sync()
  } finally {
    await file.close()
  }
}
