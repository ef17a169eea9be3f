import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest'
import { type Embedded, type EmbeddedOptions, startEmbedded } from '../embedded.ts'

export const SETTINGS = { fsync: 'off', shared_buffers: '16MB' }
const MODULE = new URL('../embedded.ts', import.meta.url).href

/**
 * A new empty directory, and one with a cluster that tests share, because creating a cluster takes
 * longer than most tests.
 */
export const scratch = { empty: '', shared: '' }

export let lines: string[] = []
let begun: Embedded[] = []
let children: ChildProcess[] = []

const note = (_fields: object, message: string) => void lines.push(message)
const log = { info: note, warn: note, error: note }

/** Call this once in a test file. Each test must leave the shared cluster as it found it. */
export function useScratch(): void {
  beforeAll(async () => {
    scratch.shared = newDirectory()
    await (await start(scratch.shared)).stop()
  })
  afterAll(() => rmSync(scratch.shared, { recursive: true, force: true }))
  beforeEach(() => {
    scratch.empty = newDirectory()
    lines = []
    begun = []
    children = []
  })
  afterEach(async () => {
    for (const embedded of begun) await embedded.stop()
    for (const child of children) child.kill('SIGKILL')
    rmSync(scratch.empty, { recursive: true, force: true })
  })
}

function newDirectory(): string {
  return realpathSync(mkdtempSync(join(inject('fastestFolder'), 'embedded-')))
}

/** Starts an embedded server that is stopped after the test. */
export async function start(
  dataDir: string,
  options: Partial<EmbeddedOptions> = {},
): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir, log, settings: SETTINGS, ...options })
  begun.push(embedded)
  return embedded
}

export function copyShared(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true })
  execFileSync('cp', ['-a', join(scratch.shared, 'postgres'), dataDir])
}

export async function query(
  embedded: Embedded,
  text: string,
  role: 'owner' | 'app' = 'owner',
): Promise<unknown[]> {
  const client = new pg.Client(embedded.config(role))
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

export function lockedBy(dataDir: string): number | undefined {
  const path = join(dataDir, 'postgres/cluster/postmaster.pid')
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : undefined
}

export function next(subscribe: (listener: () => void) => unknown): Promise<void> {
  return new Promise((resolve) => void subscribe(() => resolve()))
}

interface OtherProcess {
  said: string
  leave(): Promise<unknown>
  kill(): Promise<unknown>
}

/**
 * Starts another process that joins the cluster, reports its role, and exits when its input ends.
 */
export async function otherProcess(dataDir: string): Promise<OtherProcess> {
  const script = `
    const { startEmbedded } = await import(${JSON.stringify(MODULE)})
    const log = { info() {}, warn() {}, error() {} }
    const dataDir = ${JSON.stringify(dataDir)}
    const options = { dataDir, log, settings: ${JSON.stringify(SETTINGS)} }
    const embedded = await startEmbedded(options)
    console.log(embedded.owner ? 'owner' : 'guest')
    process.stdin.on('end', async () => { await embedded.stop(); process.exit(0) }).resume()`
  const stdio = ['pipe', 'pipe', 'inherit'] as ['pipe', 'pipe', 'inherit']
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio })
  children.push(child)
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const first = new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    void exited.then(() => reject(new Error('it ended before it was ready')))
  })
  const said = await first
  const leave = () => {
    child.stdin.end()
    return exited
  }
  const kill = () => {
    child.kill('SIGKILL')
    return exited
  }
  return { said, leave, kill }
}
