import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { expectRefused, openHome } from './cli.fixture.ts'
import { moment, notesIn, shopWith } from './restore-at.fixture.ts'

/* What can go wrong around the archive of the WAL. restore-at.test.ts has the recovery itself. */

const { scratch, tradepost, json, start } = await openHome()
const archive = join(scratch, 'archive')
const backups = join(scratch, 'backups')
const keyFile = join(scratch, 'passphrase')
await writeFile(keyFile, 'correct horse battery staple\n')
const home = {
  DATA_DIR: join(scratch, 'data'),
  WAL_ARCHIVE: archive,
  WAL_ARCHIVE_KEY_FILE: keyFile,
}
const top = join(home.DATA_DIR, 'postgres')
const restoreAt = (at: string) => ['restore', archive, '--at', at, '--key-file', keyFile]

async function storedFiles(): Promise<string[]> {
  const found = await readdir(join(home.DATA_DIR, 'files'), {
    recursive: true,
    withFileTypes: true,
  })
  return found
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

let shop: ReturnType<typeof shopWith>

/** A business whose server is backed up while PostgreSQL uses temporary files. */
beforeAll(async () => {
  const server = await start(home)
  shop = shopWith((await readFile(join(home.DATA_DIR, 'test-key'), 'utf8')).trim())
  await shop.create(server.url, 'one')
  await shop.upload(server.url)
  // PostgreSQL removes such a directory when its session ends. Other links are refused.
  const temporary = join(top, 'cluster/base/pgsql_tmp/pgsql_tmp1.0.fileset')
  await mkdir(temporary, { recursive: true })
  await symlink('/nowhere', join(temporary, '0.0'))
  expect(await json(['backup', backups], home)).toMatchObject({ base: expect.any(String) })
  await server.stop()
}, 180_000)

test('1 removes no backup while a file is missing, and keeps its only copy afterwards', async () => {
  const { files } = await json(['backup', backups, '--keep', '1'], home)
  expect(files).toMatchObject({ faults: [] })
  const [lost] = await storedFiles()
  const content = await readFile(lost!)
  await rm(lost!)
  for (let night = 0; night < 2; night++) {
    const missing = await tradepost(['backup', backups, '--keep', '1'], home)
    expect(missing.status).toBe(1)
    expect(missing.stdout).toContain('Nothing was removed: older backups may have these files.')
    expect(missing.stdout).not.toContain('Removed ')
  }
  await writeFile(lost!, content)
  // The oldest base backup that is kept did not find the file.
  const kept = await json(['backup', backups, '--keep', '2'], home)
  expect([kept.removed.length, kept.removedBases.length]).toEqual([2, 2])
  const verified = await json([...restoreAt(await endOf(kept.base)), '--verify'], home)
  expect(verified).toMatchObject({ findings: [], faults: [] })
}, 180_000)

/** Returns when a base backup ended. */
async function endOf(base: string): Promise<string> {
  const names = await readdir(archive, { recursive: true })
  const path = join(archive, names.find((name) => name.endsWith(`${base}.json`))!)
  return JSON.parse(await readFile(path, 'utf8')).base.endedAt
}

test.each(['while a server runs', 'before it starts'])(
  'an archive whose disk was unmounted %s is not replaced',
  async (when) => {
    const away = `${archive}-away`
    const runs = when === 'while a server runs'
    if (!runs) await rename(archive, away)
    const server = await start(home)
    if (runs) await rename(archive, away)
    await shop.create(server.url, when)
    await server.stop()
    expect(existsSync(archive)).toBe(false)
    // PostgreSQL completes one when it stops.
    if (!runs) expect(await readdir(join(top, 'wal-archive/waiting'))).toHaveLength(1)
    const refused = await tradepost(['backup', backups], home)
    expectRefused(refused, 1, 'WAL_ARCHIVE no longer contains the archive of this database')
    await rename(away, archive)
    const at = await writeMore()
    const verified = await json([...restoreAt(at), '--verify'], home)
    expect(verified).toMatchObject({ at, findings: [] })
  },
  180_000,
)

/** Returns a moment between two writes. */
async function writeMore(): Promise<string> {
  const server = await start(home)
  await shop.create(server.url, 'before')
  const at = await moment()
  await shop.create(server.url, 'after')
  await server.stop()
  return at
}

test('the encryption key that a restore needs is that of the moment, not of the base', async () => {
  const path = join(home.DATA_DIR, 'encryption.key')
  const before = await readFile(path, 'utf8')
  await json(['rekey'], home)
  const [now] = (await readFile(path, 'utf8')).split('\n')
  await writeFile(path, `${now}\n`)
  const at = await writeMore()
  const target = async (name: string, key: string) => {
    const DATA_DIR = join(scratch, name)
    await mkdir(DATA_DIR)
    await writeFile(join(DATA_DIR, 'encryption.key'), key, { mode: 0o600 })
    return { ...home, DATA_DIR }
  }
  const older = await target('older', before)
  expectRefused(await tradepost(restoreAt(at), older), 1, 'needs the encryption key whose')
  expect(await readdir(older.DATA_DIR)).toEqual(['encryption.key'])
  const newer = await target('newer', `${now}\n`)
  expect(await json(restoreAt(at), newer)).toMatchObject({ at, faults: [] })
  expect(await notesIn(newer.DATA_DIR)).toContain('before')
}, 180_000)
