import { type Command, Option } from 'commander'
import { listBusinesses } from '../business/account/service.ts'
import { OPERATOR } from '../business/audit-log/log.ts'
import { resume, stop } from '../business/providers/payouts.ts'
import type { Tenant } from '../lib/caller.ts'
import { businessOf } from './keys.ts'
import { withDatabase } from './open.ts'
import { printJson, printLines } from './output.ts'
import { addTarget, type PauseOptions } from './pause.ts'

export function payoutsCommands(program: Command): void {
  const payouts = program.command('payouts').description('Stop and resume payouts')
  add(payouts, 'stop', 'Let new transfers and settlements wait, and refuse bills').option(
    '--reason <text>',
    'why, for other people',
    'Stopped by the operator',
  )
  add(payouts, 'resume', 'Send payouts again, first those that waited')
    .addOption(
      new Option('--restored', 'only what waits since a restore').conflicts(['business', 'all']),
    )
    .addHelpText(
      'after',
      `
With --all, businesses that have stopped their own payouts keep them stopped, until one of their
owners resumes them, or you do with --business. With --restored, what you had stopped before the
backup stays stopped, too.`,
    )
}

const add = (payouts: Command, word: 'stop' | 'resume', says: string): Command =>
  addTarget(
    payouts.command(word).description(says),
    'business whose payouts these are',
    'all businesses',
  )
    .option('--json', 'print what has changed as JSON')
    .action((options: Options) => run(word, options))

interface Options extends PauseOptions {
  restored?: true
}

async function run(word: 'stop' | 'resume', options: Options): Promise<void> {
  const { business, all, restored, mode, reason = '', json } = options
  const stops = restored ? 'of a restore' : all ? 'of the operator' : 'all'
  const modes = [false, true].filter((live) => !mode || live === (mode === 'live'))
  const changed = await withDatabase(async ({ db, now }) => {
    const businessIds =
      all || restored
        ? (await listBusinesses(db)).map(({ businessId }) => businessId)
        : [await businessOf(db, business)]
    const tenants = businessIds.flatMap((businessId) => modes.map((live) => ({ businessId, live })))
    const done: Tenant[] = []
    for (const tenant of tenants) {
      const change = { ...tenant, actor: OPERATOR, now }
      const isChanged = await db.transaction((tx) =>
        word === 'stop' ? stop(tx, change, reason, { takesOver: true }) : resume(tx, change, stops),
      )
      if (isChanged) done.push(tenant)
    }
    return done.map(({ businessId, live }) => ({ businessId, mode: live ? 'live' : 'test' }))
  })
  if (json) {
    printJson(changed)
    return
  }
  const state = word === 'stop' ? 'stopped' : 'resumed'
  printLines(
    ...(changed.length === 0
      ? [`Nothing has changed: payouts were already ${state}.`]
      : changed.map(
          ({ businessId, mode }) =>
            `Payouts of business ${businessId}, ${mode} mode, are ${state}.`,
        )),
  )
}
