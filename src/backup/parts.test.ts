import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openStorage } from '../files/storage.ts'
import { listBackups, nameAt, prune, writeBackup } from './parts.ts'

const scratch = await mkdtemp(join(tmpdir(), 'tradepost-parts-'))
afterAll(() => rm(scratch, { recursive: true, force: true }))

const now = new Date('2026-11-28T10:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
const MIB = 1024 * 1024

/** More than one part, which cannot be compressed, and then a failure. */
async function* endless(says: string): AsyncGenerator<Buffer, void> {
  for (let i = 0; i < 130; i++) yield randomBytes(MIB)
  throw new Error(says)
}

test('a backup that fails leaves nothing, so that the next one has as much room', async () => {
  const [directory, spool] = [join(scratch, 'failing'), join(scratch, 'spool')]
  const target = await openStorage(directory)
  const failing = writeBackup(endless('no space left'), {
    name: nameAt(now),
    madeAt: now,
    target,
    spool,
    passphrase: undefined,
  })
  await expect(failing).rejects.toThrow('no space left')
  expect(await readdir(directory)).toEqual([])
  expect(await readdir(spool)).toEqual([])
})

test('pruning removes what killed backups left, and nothing that is not a backup', async () => {
  const directory = join(scratch, 'pruned')
  await mkdir(join(directory, 'older'), { recursive: true })
  const [killed, running, first, last] = [30, 1, 9, 8].map((days) => nameAt(daysAgo(days)))
  const kept = [`${running}.00001.part`, 'notes.txt', `older/${first}.json`, `${last}.json`]
  const removed = [`${killed}.00001`, `${killed}.00002.part`, `${first}.json`, `${first}.00001`]
  for (const name of [...kept, ...removed]) await writeFile(join(directory, name), '{}')
  const target = await openStorage(directory)
  expect(await listBackups(target)).toEqual([first, last])
  expect(await prune(target, 1, now)).toEqual([first])
  expect((await target.list()).sort()).toEqual(kept.sort())
  expect(await target.list('top')).not.toContain(`older/${first}.json`)
})
