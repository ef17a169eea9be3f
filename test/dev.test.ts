import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, utimes } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { databaseSettings } from '../src/cli/cli.fixture.ts'
import { testDatabase } from './harness.ts'

const WAIT = { timeout: 60_000 }
const DATA_DIR = await mkdtemp(join(tmpdir(), 'tradepost-dev-'))
afterAll(() => rm(DATA_DIR, { recursive: true, force: true }))

/**
 * Below the ports that systems give out, because the server needs it again after each restart, and
 * other tests listen and connect meanwhile.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    await new Promise((closed) => probe.close(closed))
    return port
  }
}

test('npm run dev serves the dashboard with hot reload and restarts after a change', async () => {
  const { name } = await testDatabase()
  const port = await freePort()
  const { PATH = '', HOME = '' } = process.env
  const settings = { ...databaseSettings(name), DATA_DIR, PORT: String(port) }
  const dev = spawn(process.execPath, ['scripts/dev.mjs'], {
    env: { PATH, HOME, NO_COLOR: '1', LOG_LEVEL: 'silent', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(dev, 'exit')
  // SIGTERM lets it stop the server that it started; SIGKILL would not.
  onTestFinished(async () => {
    dev.kill('SIGTERM')
    await ended
  })
  let said = ''
  for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (chunk) => (said += chunk))
  const starts = () => said.split(`API        http://127.0.0.1:${port}/api`).length - 1
  const vite = () => /Local: +(http:\S+?)\/?\s/.exec(said)?.[1]

  await expect.poll(() => [starts(), vite() !== undefined], WAIT).toEqual([1, true])
  const page = await (await fetch(`${vite()}/test/invoices`)).text()
  expect(page).toContain('/@vite/client')
  expect(page).toContain('/@react-refresh')
  expect((await fetch(`${vite()}/src/main.tsx`)).status).toBe(200)
  expect((await fetch(`${vite()}/console/me`)).status).toBe(401)

  // Like saving the file in an editor.
  await utimes('src/version.ts', new Date(), new Date())
  await expect.poll(starts, WAIT).toBe(2)
  // The dashboard waits while the server starts.
  expect((await fetch(`${vite()}/console/me`)).status).toBe(401)

  dev.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow()
}, 120_000)
