import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, inject } from 'vitest'

/* What the tests of commands share: running them as a person would, each a process of its own. */

const BIN = resolve('bin/tradepost.js')
const MAIN = ['--import', pathToFileURL(resolve('src/loader.js')).href, resolve('src/cli/main.ts')]
const PROFILE = '/api/user-service/external/v1/profile'

export interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

type Env = Record<string, string>

function spawnNode(args: string[], env: Env, cwd?: string): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  return spawn(process.execPath, args, {
    ...(cwd && { cwd }),
    env: { PATH, HOME, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function endOf(child: ChildProcess): Promise<Ended> {
  const { promise, resolve: end, reject } = Promise.withResolvers<Ended>()
  const texts = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (texts.stdout += chunk))
  child.stderr?.on('data', (chunk) => (texts.stderr += chunk))
  child.once('error', reject)
  child.once('close', (status) => end({ status, ...texts }))
  return promise
}

// biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
function jsonOf({ status, stdout, stderr }: Ended): any {
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** It ended with this status and these words, in one line, and wrote nothing else. */
export function expectRefused({ status, stdout, stderr }: Ended, expected: number, says: string) {
  expect([status, stdout]).toEqual([expected, ''])
  expect(stderr).toContain(says)
  expect(stderr).toMatch(/^error: [^\n]+\n$/)
}

/** The URL of a test's database, for whoever works as the owner of its tables. */
export function databaseUrl(name: string): string {
  const { user, password, host, port } = inject('cluster').owner
  return `postgres://${user}:${password}@localhost:${port}/${name}?host=${host}`
}

/** Commands on the database of a test, without what bin/ does first; `json` must go well. */
export function commandsOn(name: string) {
  const env = { DATABASE_URL: databaseUrl(name) }
  const tradepost = (...args: string[]) => endOf(spawnNode([...MAIN, ...args], env))
  const json = async (...args: string[]) => jsonOf(await tradepost(...args, '--json'))
  return { tradepost, json }
}

/** A directory of the test's own, with commands in it, and servers; gone at the end of the file. */
export async function openHome() {
  const scratch = await mkdtemp(join(tmpdir(), 'tradepost-cli-'))
  const children = new Set<ChildProcess>()
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await rm(scratch, { recursive: true, force: true })
  })

  function begin(args: string[], env: Env): ChildProcess {
    const quiet = { LOG_LEVEL: 'silent', PORT: '0', ...env }
    const child = spawnNode([BIN, ...args], quiet, scratch)
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }

  /** Runs a command to its end. */
  const tradepost = (args: string[], env: Env = {}): Promise<Ended> =>
    endOf(begin(args, { DATA_DIR: join(scratch, 'data'), ...env }))
  /** The same, of a command that must go well and print JSON. */
  const json = async (args: string[], env?: Env) =>
    jsonOf(await tradepost([...args, '--json'], env))

  /** Starts a server on any free port; it tells where on standard error. */
  async function start(env: Env = {}) {
    const child = begin(['start'], { DATA_DIR: join(scratch, 'data'), ...env })
    const told = Promise.withResolvers<string>()
    let text = ''
    child.stderr?.on('data', (chunk) => {
      text += chunk
      const url = /API +(http:\S+?)\/api/.exec(text)?.[1]
      if (url) told.resolve(url)
    })
    child.once('close', () => told.reject(new Error(`The server ended: ${text}`)))
    const url = await told.promise
    return {
      url,
      /** What it has told so far. */
      told: () => text,
      statusOf: async (key: string) => {
        const headers = { authorization: `Bearer ${key}` }
        return (await fetch(url + PROFILE, { headers })).status
      },
      stop: (...signals: NodeJS.Signals[]) => {
        const { promise, resolve: end } = Promise.withResolvers<number | null>()
        child.once('close', end)
        for (const signal of signals.length > 0 ? signals : ['SIGTERM' as const]) child.kill(signal)
        return promise
      },
    }
  }
  return { scratch, begin, tradepost, json, start }
}
