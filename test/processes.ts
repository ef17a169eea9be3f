import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type pg from 'pg'
import { onTestFinished } from 'vitest'

interface OtherOptions {
  /** Whether it runs all jobs, or the names of those that it runs. */
  jobs?: boolean | readonly string[]
  /** How far its clock is ahead of the real time. */
  aheadMs?: number
  /** How long its statements wait for a lock. */
  lockMs?: number
}

/** Starts a server in its own process on a test's database, for races or to be killed. */
export async function otherProcess(
  connection: pg.ClientConfig,
  { jobs = false, aheadMs = 0, lockMs }: OtherOptions = {},
): Promise<{ url: string; child: ChildProcess }> {
  const args = ['--import', './src/loader.js', 'test/other-server.ts']
  const all = jobs ? ['all'] : []
  const names = typeof jobs === 'boolean' ? all : jobs
  const options = [JSON.stringify({ ...connection, lockMs }), `${aheadMs}`, ...names]
  const child = spawn(process.execPath, [...args, ...options], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    child.once('exit', () => reject(new Error('the other server ended before it was ready')))
  })
  return { url, child }
}
