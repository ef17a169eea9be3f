import type { Command } from 'commander'
import { resetSecondFactor } from '../console/operator.ts'
import { withDatabase } from './open.ts'
import { printJson, printLines } from './output.ts'

interface Options {
  json?: true
}

export function peopleResetTwoFactor(people: Command): void {
  people
    .command('reset-two-factor')
    .description('Let somebody in who lost phone and recovery codes')
    .argument('<EMAIL>', 'as people list shows it')
    .option('--json', 'print what was done as JSON')
    .addHelpText(
      'after',
      `
Removes the authenticator app, the recovery codes and the passkeys, ends all sessions and
forgets the browsers that were known. The password stays, and signs in alone from then on: be
sure of who asks, by more than a mail. The audit log of each business of theirs has it, and
they get a mail.

Example:
  $ tradepost people reset-two-factor ada@example.com`,
    )
    .action(reset)
}

async function reset(email: string, { json }: Options): Promise<void> {
  const done = await withDatabase(({ db, ids, now }) =>
    db.transaction((tx) => resetSecondFactor(tx, ids, email, now)),
  )
  if (json) {
    printJson(done)
    return
  }
  const sessions = done.endedSessions === 1 ? '1 session' : `${done.endedSessions} sessions`
  printLines(
    `The second factor of ${done.name} (${done.email}) is removed, and ${sessions} ended.`,
    'The password alone signs in now. Tell them to set up another app under Security.',
  )
}
