import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type pg from 'pg'
import { onTestFinished } from 'vitest'

/** A server in a process of its own, on the database of a test: to race with, or to be killed. */
export async function otherProcess(
  connection: pg.ClientConfig,
): Promise<{ url: string; child: ChildProcess }> {
  const args = ['--import', './src/loader.js', 'test/other-server.ts']
  const child = spawn(process.execPath, [...args, JSON.stringify(connection)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve)
    child.once('exit', () => reject(new Error('the other server ended before it was up')))
  })
  return { url, child }
}
