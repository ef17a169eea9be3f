import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { broken, freeze } from '../scripts/frozen.ts'

let dir: string
const write = (name: string, text: string) => writeFile(join(dir, name), text)

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tradepost-frozen-'))
  await write('0001_first.sql', 'create table a (id int);\n')
  await write('0003_third.sql', 'create table c (id int);\n')
})
afterEach(() => rm(dir, { recursive: true }))

test('migrations can change until they are released', async () => {
  expect(broken(dir)).toEqual([])
  freeze(dir)
  expect(broken(dir)).toEqual([])
  await write('0004_fourth.sql', 'create table d (id int);\n')
  expect(broken(dir)).toEqual([])
})

test('names released migrations that were changed, renamed or overtaken', async () => {
  freeze(dir)
  await write('0001_first.sql', 'create table a (id bigint);\n')
  await rename(join(dir, '0003_third.sql'), join(dir, '0003_other.sql'))
  await write('0002_second.sql', 'create table b (id int);\n')
  expect(broken(dir)).toEqual([
    '0003_third.sql was released and is missing',
    '0001_first.sql was released and has changed: correct it in a new migration',
    '0002_second.sql is new, but comes before 0003_third.sql, which was released',
    '0003_other.sql is new, but comes before 0003_third.sql, which was released',
  ])
})

test('line endings do not matter', async () => {
  freeze(dir)
  await write('0001_first.sql', 'create table a (id int);\r\n')
  expect(broken(dir)).toEqual([])
})

test('a release never replaces a directory with other files', async () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/release.mjs', dir], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, `${dir} contains other files: name an empty directory\n`])
  expect((await readdir(dir)).sort()).toEqual(['0001_first.sql', '0003_third.sql'])
})
