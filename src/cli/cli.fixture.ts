import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, inject } from 'vitest'
import { ENCRYPTION_KEY } from '../../test/keyring.ts'
import { withTerminal } from './output.ts'
import { run } from './run.ts'

const PROFILE = '/api/user-service/external/v1/profile'

export interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

type Env = Record<string, string>

const RECORDER = pathToFileURL(resolve('test/statement-rules/recorder.ts')).href

function spawnNode(args: string[], env: Env, cwd?: string): ChildProcess {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const { TRADEPOST_TEST_STATEMENTS } = process.env
  // The statements of another process are checked as well.
  const recording = TRADEPOST_TEST_STATEMENTS && {
    TRADEPOST_TEST_STATEMENTS,
    NODE_OPTIONS: `--import=${RECORDER}`,
  }
  return spawn(process.execPath, args, {
    ...(cwd && { cwd }),
    env: { PATH, HOME, NO_COLOR: '1', NODE_COMPILE_CACHE, ...recording, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
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

/**
 * Starts a command in this process, which is twenty times as fast as in a new one. The command sees
 * only these settings and streams.
 */
export function beginHere(args: string[], env: Env) {
  const interrupted = new AbortController()
  const texts = { stdout: '', stderr: '' }
  const stdin = new PassThrough()
  const stdout = new PassThrough().on('data', (chunk) => (texts.stdout += chunk))
  const stderr = new PassThrough().on('data', (chunk) => (texts.stderr += chunk))
  const once = (signal: string, stop: () => void) =>
    signal === 'SIGINT' && interrupted.signal.addEventListener('abort', stop, { once: true })
  const standIn = { env: { NO_COLOR: '1', ...env }, stdin, stdout, stderr, once, exitCode: 0 }
  const ended = withTerminal(standIn, () => run(args)).then(async (): Promise<Ended> => {
    // The last output can be read only a moment later.
    await new Promise(setImmediate)
    return { status: standIn.exitCode, ...texts }
  })
  return { stdin, texts, ended, interrupt: () => interrupted.abort() }
}

// biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
function jsonOf({ status, stdout, stderr }: Ended): any {
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** Expects the command to end with this status and to print only this error line. */
export function expectRefused({ status, stdout, stderr }: Ended, expected: number, says: string) {
  expect([status, stdout]).toEqual([expected, ''])
  expect(stderr).toContain(says)
  expect(stderr).toMatch(/^error: [^\n]+\n$/)
}

/** Returns the settings for a test database. */
export const databaseSettings = (name: string) => ({
  DATABASE_URL: databaseUrl(name),
  TRADEPOST_ENCRYPTION_KEY: ENCRYPTION_KEY,
})

/** Returns the URL of a test database, by default with the user that owns its tables. */
export function databaseUrl(name: string, role: 'owner' | 'app' = 'owner'): string {
  const { user, password, host, port } = inject('cluster')[role]
  return `postgres://${user}:${password}@localhost:${port}/${name}?host=${host}`
}

/** Runs commands on a test database. `json` expects success. */
export function commandsOn(name: string) {
  const env = databaseSettings(name)
  const tradepost = (...args: string[]) => beginHere(args, env).ended
  const json = async (...args: string[]) => jsonOf(await tradepost(...args, '--json'))
  return { tradepost, json }
}

/**
 * Creates a directory for a test, with functions that run commands and servers in it, in this
 * process or in new ones. Removed at the end of the file. New processes run the version in `root`.
 */
export async function openHome(root = resolve('.')) {
  const scratch = await mkdtemp(join(inject('fastestFolder'), 'tradepost-cli-'))
  const children = new Set<ChildProcess>()
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await rm(scratch, { recursive: true, force: true })
  })

  const ownBin = join(root, 'bin/tradepost.js')

  function begin(args: string[], env: Env, bin = ownBin): ChildProcess {
    const quiet = { LOG_LEVEL: 'silent', PORT: '0', ...env }
    const child = spawnNode([bin, ...args], quiet, scratch)
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }

  /** Runs a command to completion in a new process. */
  const tradepostApart = (args: string[], env: Env = {}): Promise<Ended> =>
    endOf(begin(args, { DATA_DIR: join(scratch, 'data'), ...env }))
  /** Runs a command to completion in this process. */
  const tradepost = (args: string[], env: Env = {}): Promise<Ended> =>
    beginHere(args, { PORT: '0', DATA_DIR: join(scratch, 'data'), ...env }).ended
  /** Runs a command that must succeed and print JSON. */
  const json = async (args: string[], env?: Env) =>
    jsonOf(await tradepost([...args, '--json'], env))

  /** Starts a server on a free port, which it prints to standard error. */
  async function start(env: Env = {}, options: string[] = [], bin = ownBin) {
    const child = begin(['start', ...options], { DATA_DIR: join(scratch, 'data'), ...env }, bin)
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
      pid: child.pid!,
      /** The server's output so far. */
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
  return { scratch, begin, tradepost, tradepostApart, json, start }
}
