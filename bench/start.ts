import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, median, type Options, report } from './figures.ts'
import { launch, memoryOf } from './server.ts'

const IDLE_MS = 5_000

/** Measures the time from the command to the first response that needs the database. */
export async function measureStart({ rounds }: Options): Promise<Figure[]> {
  const all: Awaited<ReturnType<typeof startTwice>>[] = []
  for (let round = 0; round < rounds; round++) all.push(await startTwice())
  const middle = (of: 'firstMs' | 'againMs' | 'idleMb') => median(all.map((round) => round[of]))
  const first = middle('firstMs') / 1000
  const again = middle('againMs') / 1000
  return report([
    { goal: 11, what: 'start with existing data', value: again, unit: ' s', atMost: 1 },
    { goal: 11, what: 'first start', value: first, unit: ' s', atMost: 3 },
    { goal: 9, what: 'memory, idle', value: middle('idleMb'), unit: ' MB', atMost: 150 },
  ])
}

/** Starts a server on an empty directory, stops it, and starts it there again. */
async function startTwice() {
  const dataDir = await mkdtemp(join(tmpdir(), 'tradepost-bench-'))
  const environment = { DATA_DIR: dataDir, LOG_LEVEL: 'warn' }
  const first = await launch(environment)
  await first.stop()
  const again = await launch(environment)
  await sleep(IDLE_MS)
  const { nowMb: idleMb } = await memoryOf(again.pid)
  await again.stop()
  await rm(dataDir, { recursive: true, force: true })
  return { firstMs: first.startMs, againMs: again.startMs, idleMb }
}
