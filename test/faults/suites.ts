import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Found } from './catalogue.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SHOWN_BYTES = 2_000

/**
 * Runs tests of the project that prove a promise in a way that a server under load cannot. They
 * use separate databases.
 */
export const runTests = (promise: string, paths: readonly string[]) => async (): Promise<Found> => {
  const child = spawn(process.execPath, ['scripts/test.mjs', ...paths], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = () => child.kill()
  process.once('exit', end)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  process.off('exit', end)
  const [, passed = '0', failed = '1'] = /(\d+) passed, (\d+) failed\s*$/.exec(stdout) ?? []
  const isFine = Number(passed) > 0 && Number(failed) === 0
  const what = `npm test -- ${paths.join(' ')}: ${(stderr + stdout).slice(-SHOWN_BYTES)}`
  return {
    violations: isFine ? [] : [{ promise, what }],
    checks: Number(passed),
    says: `${passed} tests passed`,
  }
}
