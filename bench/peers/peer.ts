import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Requests } from '../load.ts'
import type { Compared } from '../peers.ts'

/** A running peer with 10,000 products. */
export interface Peer {
  port: number
  pid: number
  /** The requests that together make one result, in order. */
  requests: Record<Compared, (() => Promise<Omit<Requests, 'port'>>)[]>
  stop(): Promise<void>
}

interface Place {
  /** Does not exist yet. */
  directory: string
  /** An empty database that belongs to the user. */
  connection: pg.ClientConfig
}

export type SetUp = (place: Place) => Promise<Peer>

export const ROWS = 10_000
/** For all accounts and secrets: the servers only listen on this machine, and only for a while. */
export const PASSWORD = 'blue-kettle-sings-often'

export const fileBeside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Installs packages from npm, with their set-up scripts. */
export async function install(directory: string, manifest: object): Promise<void> {
  await mkdir(directory, { recursive: true })
  await writeFile(`${directory}/package.json`, JSON.stringify({ private: true, ...manifest }))
  const args = ['install', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error']
  await run(directory, 'npm', args, {})
}

/** Throws with the end of the output if the command fails. */
export async function run(
  cwd: string,
  command: string,
  args: string[],
  environment: Record<string, string>,
): Promise<void> {
  const line = [basename(command), ...args].join(' ')
  console.log(`${line} …`)
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000)
    })
  }
  const status = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (status !== 0) throw new Error(`${line} failed (${status}):\n${said}`)
}

/** Runs a query that selects ids. */
export async function idsOf(connection: pg.ClientConfig, select: string): Promise<string[]> {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query(select)
  await client.end()
  return rows.map(({ id }) => id)
}
