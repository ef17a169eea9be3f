// Breaks real servers under load, and checks what docs/reliability.md promises:
//   npm run faults [-- --seed 7 --only kill,cut --requests 5000 --minutes 30 --long]
// Prints what happened, the result for each promise, and a line of counts.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openRandom } from '../providers/doubles/double.ts'
import { FAULTS, type RigName } from './catalogue.ts'
import { openClockRig } from './clock.ts'
import type { Violation } from './journal.ts'
import { openTally } from './promises.ts'
import { endAll, openEmbeddedRig, openProxiedRig, openStandbyRig } from './rigs.ts'
import { openSession } from './round.ts'
import { openSmallDiskRig, unmountAll } from './small-disk.ts'

const MINUTE_MS = 60_000
const SHORT_MINUTES = 5
const LONG_MINUTES = 60
/** More than any round takes on a slow machine. */
const GRACE_MINUTES = 15
const SHOWN_MAX = 20
const REQUESTS = { short: 2_000, long: 100_000 }

const RIGS = {
  embedded: (scratch: string) => openEmbeddedRig(scratch),
  proxied: openProxiedRig,
  standby: openStandbyRig,
  small: openSmallDiskRig,
  clock: openClockRig,
}

const HELP = `npm run faults                     each fault once
npm run faults -- --long           all of them again and again, for an hour

  --seed 7             draws the order and the moments of the faults
  --only kill,cut      only these faults
  --requests 5000      the generated requests: ${REQUESTS.short}, or ${REQUESTS.long} with --long
  --minutes 30         how long to repeat them; more than ${SHORT_MINUTES} only with --long
  --long               a long run

${Object.entries(FAULTS)
  .map(([name, { what, rig, isLong }]) => {
    const only = isLong ? '; only with --long, or if named' : ''
    return `  ${name.padEnd(20)} ${what} (${rig}${only})`
  })
  .join('\n')}
`

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
    only: { type: 'string' },
    minutes: { type: 'string' },
    requests: { type: 'string' },
    long: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
})
if (values.help) process.stdout.write(HELP)
// A rig that failed can leave requests that never end.
else process.exit(await run())

async function run(): Promise<number> {
  const seed = Number(values.seed)
  const usual = Object.keys(FAULTS).filter((name) => values.long || !FAULTS[name]!.isLong)
  const wanted = values.only?.split(',') ?? usual
  const unknown = wanted.filter((name) => !Object.hasOwn(FAULTS, name))
  if (unknown.length > 0 || !Number.isInteger(seed)) {
    process.stderr.write(`There is no fault ${unknown.join(', ')}, or the seed is no number.\n`)
    return 2
  }
  const requests = Number(values.requests ?? REQUESTS[values.long ? 'long' : 'short'])
  const asked = Number(values.minutes ?? (values.long ? LONG_MINUTES : 0))
  const minutes = values.long ? asked : Math.min(asked, SHORT_MINUTES)
  const again = `npm run faults -- ${[
    `--seed ${seed}`,
    ...(values.only ? [`--only ${values.only}`] : []),
    ...(values.requests ? [`--requests ${values.requests}`] : []),
    ...(values.minutes ? [`--minutes ${values.minutes}`] : []),
    ...(values.long ? ['--long'] : []),
  ].join(' ')}`
  console.log(`seed ${seed}: ${again}`)

  const scratch = await mkdtemp(join(tmpdir(), 'tradepost-faults-'))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(130))
  }
  process.once('exit', () => {
    endAll()
    unmountAll()
  })
  const limit = setTimeout(
    () => {
      console.log(`The run did not end in time.\n${again}\n0 passed, 1 failed`)
      process.exit(1)
    },
    (Math.max(minutes, SHORT_MINUTES) + GRACE_MINUTES) * MINUTE_MS,
  )

  const tally = openTally()
  let passed = 0
  const failures: string[] = []
  function report(title: string, violations: readonly Violation[]): void {
    if (violations.length === 0) passed += 1
    else failures.push(title)
    for (const { promise, what } of violations.slice(0, SHOWN_MAX)) {
      console.log(`    ${promise} ${what}`)
    }
  }

  const skipped = wanted.flatMap((name) => {
    const reason = FAULTS[name]!.lacks?.()
    return reason === undefined ? [] : [{ name, reason }]
  })
  const names = wanted.filter((name) => !skipped.some((one) => one.name === name))
  for (const { name, reason } of skipped) console.log(`skipped ${name.padEnd(16)} ${reason}`)
  const byRig = Map.groupBy(names, (name) => FAULTS[name]!.rig)
  const until = Date.now() + minutes * MINUTE_MS
  for (let cycle = 0; cycle === 0 || Date.now() < until; cycle++) {
    for (const [rigName, all] of byRig) {
      const random = openRandom(seed + 1_000 * cycle)
      const title = `cycle ${cycle + 1}, ${rigName}`
      try {
        await runRig(rigName, shuffled(all, random), random)
      } catch (error) {
        failures.push(title)
        console.log(`${title} ended: ${(error as Error).stack}`)
        endAll()
        unmountAll()
      }
    }
  }

  async function runRig(
    rigName: RigName,
    faults: readonly string[],
    random: () => number,
  ): Promise<void> {
    const session = await openSession(
      await RIGS[rigName](await mkdtemp(join(scratch, rigName))),
      random,
      tally,
    )
    try {
      for (const name of faults) {
        const outcome = await session.runFault(FAULTS[name]!, { requests })
        const { unknown, readyMs, violations, says } = outcome
        const result = violations.length === 0 ? 'passed' : 'FAILED'
        console.log(
          `${result}  ${name.padEnd(16)} ${outcome.requests} requests, ${unknown} unknown, ` +
            `ready after ${(readyMs / 1000).toFixed(1)} s`,
        )
        if (says) console.log(`    ${says}`)
        report(name, violations)
      }
      const began = performance.now()
      const violations = await session.finish()
      const result = violations.length === 0 ? 'passed' : 'FAILED'
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      const statuses = [...session.shop.statuses].map(([what, n]) => `${what}: ${n}`).join(', ')
      console.log(
        `${result}  ${rigName.padEnd(16)} ${session.shop.entries.length} requests, ` +
          `${session.received()} webhooks, all done after ${seconds} s (${statuses})`,
      )
      report(`the end of ${rigName}`, violations)
    } finally {
      await session.close()
    }
  }

  clearTimeout(limit)
  if (failures.length === 0) await rm(scratch, { recursive: true, force: true })
  console.log(`\n${tally.lines().join('\n')}\n`)
  for (const { name, reason } of skipped) console.log(`Skipped: ${name}, because ${reason}`)
  if (failures.length > 0) {
    console.log(`Failed: ${failures.join(', ')}. The servers' logs are in ${scratch}.`)
    console.log(`To repeat it: ${again}`)
  }
  console.log(`${passed} passed, ${failures.length} failed`)
  return failures.length === 0 ? 0 : 1
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  return all
    .map((one) => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)
}
