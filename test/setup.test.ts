import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'

const scratch = await mkdtemp(join(tmpdir(), 'tradepost-setup-'))
afterAll(() => rm(scratch, { recursive: true, force: true }))

/** Creates a tree like `npm ci`, and logs whether the old one exists meanwhile. */
const NPM = `
const { existsSync, mkdirSync, writeFileSync, appendFileSync } = require('node:fs')
const root = process.env.FAKE_ROOT
appendFileSync(root + '/npm.log', process.argv.slice(2).join(' ') + ' beside ' +
  existsSync(root + '/node_modules/old') + '\\n')
if (process.env.FAKE_FAILS) process.exit(1)
mkdirSync('node_modules/.bin', { recursive: true })
mkdirSync('node_modules/vite/bin', { recursive: true })
writeFileSync('node_modules/new', '')
writeFileSync('node_modules/vite/bin/vite.js', \`
  const { mkdirSync, writeFileSync } = require('node:fs')
  const out = process.argv[process.argv.indexOf('--outDir') + 1]
  mkdirSync(out, { recursive: true })
  writeFileSync(out + '/index.html', '')\`)
`

const PARTS = [
  'bin',
  'scripts',
  'dashboard/index.html',
  'dashboard/vite.config.ts',
  'dashboard/src',
  'src/lib/csv.ts',
  'src/pages/styles/tokens.css',
  'src/pages/accent.ts',
  'src/pages/icon.svg',
  'src/lib/scopes.ts',
]

/** Creates a clone with a fake npm. */
async function newClone(name: string) {
  const root = join(scratch, name)
  for (const part of PARTS) {
    await mkdir(dirname(join(root, part)), { recursive: true })
    await cp(resolve(part), join(root, part), { recursive: true })
  }
  await writeFile(join(root, 'package.json'), '{"type":"module"}')
  await writeFile(join(root, 'package-lock.json'), '{}')
  await mkdir(join(scratch, `${name}-npm`))
  const npm = join(scratch, `${name}-npm`, 'npm-cli.js')
  await writeFile(npm, NPM)

  async function run(args: string[], env: Record<string, string> = {}) {
    const { PATH = '', HOME = '' } = process.env
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { PATH, HOME, npm_execpath: npm, FAKE_ROOT: root, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let err = ''
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    const [status] = await once(child, 'close')
    return { status, err }
  }
  const calls = async () =>
    (await readFile(join(root, 'npm.log'), 'utf8').catch(() => '')).split('\n').filter(Boolean)
  return { root, run, calls, has: async (path: string) => readdir(join(root, path)) }
}

describe('set-up', () => {
  test('builds an install next to the old one, which stays until the next start', async () => {
    const { root, run, calls, has } = await newClone('replaced')
    await mkdir(join(root, 'node_modules'))
    await writeFile(join(root, 'node_modules', 'old'), '')

    expect(await run(['scripts/setup.mjs'])).toMatchObject({ status: 0 })
    expect(await calls()).toEqual([expect.stringMatching(/^ci .*--include=dev .* beside true$/)])
    expect(await has('node_modules')).toContain('new')
    expect(await has('node_modules')).not.toContain('old')
    const [former] = await has('.setup/former')
    expect(await has(`.setup/former/${former}`)).toEqual(['old'])

    expect(await run(['scripts/setup.mjs', '--start'])).toMatchObject({ status: 0, err: '' })
    expect(await calls()).toHaveLength(1)
    await expect(has('.setup/former')).rejects.toThrow('ENOENT')
  })

  test('keeps the old install if the new one fails', async () => {
    const { root, run, has } = await newClone('failed')
    await mkdir(join(root, 'node_modules'))
    await writeFile(join(root, 'node_modules', 'old'), '')
    const { status, err } = await run(['scripts/setup.mjs'], { FAKE_FAILS: '1' })
    expect([status, err]).toEqual([1, expect.stringContaining('could not install')])
    expect(await has('node_modules')).toEqual(['old'])
  })

  test('installs the development tools in production too, and no command installs again', async () => {
    const { root, run, calls, has } = await newClone('production')
    const production = { NODE_ENV: 'production', npm_config_omit: 'dev' }
    expect(await run(['scripts/setup.mjs'], production)).toMatchObject({ status: 0 })
    expect(await calls()).toEqual([expect.stringContaining('--include=dev')])
    await writeFile(join(root, 'node_modules', 'kept'), '')

    // This clone has no code to run, but the command checks set-up before that.
    for (const command of ['doctor', 'audit', 'start']) await run(['bin/tradepost.js', command])
    expect(await calls()).toHaveLength(1)
    expect(await has('node_modules')).toContain('kept')
  })

  test('is requested, but not done, by a command in a new clone or after an upgrade', async () => {
    const { root, run, calls } = await newClone('new')
    const says = expect.stringContaining('run npm start, or node scripts/setup.mjs')
    expect(await run(['bin/tradepost.js', 'audit'])).toEqual({ status: 1, err: says })
    await run(['scripts/setup.mjs'])
    await writeFile(join(root, 'package-lock.json'), '{"version":2}')
    expect(await run(['bin/tradepost.js', 'doctor'])).toEqual({ status: 1, err: says })
    expect(await calls()).toHaveLength(1)
  })
})
