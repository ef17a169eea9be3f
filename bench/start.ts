import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const IDLE_MS = 5_000

const rounds: { firstMs: number; againMs: number; idleMb: number }[] = []
for (let round = 0; round < ROUNDS; round++) rounds.push(await once())
print()

/** Starts a server on an empty directory, stops it, and starts it there again. */
async function once() {
  const dataDir = await mkdtemp(join(tmpdir(), 'tradepost-bench-'))
  const first = await start(dataDir)
  await stop(first.child)
  const again = await start(dataDir)
  await sleep(IDLE_MS)
  const idleMb = await residentMb(again.child.pid!)
  await stop(again.child)
  await rm(dataDir, { recursive: true, force: true })
  return { firstMs: first.ms, againMs: again.ms, idleMb }
}

/** The time from the command to the first response that needs the database. */
async function start(dataDir: string) {
  const port = await freePort()
  const began = performance.now()
  const child = spawn(process.execPath, ['bin/tradepost.js', 'start'], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: `${port}`, LOG_LEVEL: 'warn' },
    stdio: 'ignore',
  })
  for (;;) {
    const isReady = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return { child, ms: performance.now() - began }
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    await sleep(5)
  }
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

/** Needs /proc. Returns NaN where there is none. */
async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1000
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

function print(): void {
  const middle = (of: (round: (typeof rounds)[number]) => number) =>
    rounds.map(of).sort((a, b) => a - b)[rounds.length >> 1]!
  const row = (name: string, value: string) => console.log(`  ${name.padEnd(52)} ${value}`)
  console.log(`Starting, medians of ${ROUNDS}\n`)
  row(
    'first start to the first response (goal 6 s)',
    `${(middle((r) => r.firstMs) / 1000).toFixed(2)} s`,
  )
  row(
    'start with an existing directory (goal 2 s)',
    `${(middle((r) => r.againMs) / 1000).toFixed(2)} s`,
  )
  row('server process, idle for 5 s (goal 120 MB)', `${middle((r) => r.idleMb).toFixed(0)} MB`)
}
