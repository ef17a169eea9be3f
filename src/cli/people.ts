import type { Command } from 'commander'
import { listPeople, resetSecondFactor } from '../business/people/accounts.ts'
import { withDatabase } from './open.ts'
import { printJson, printLines, printList, showMoment } from './output.ts'

export function peopleCommands(program: Command): void {
  const people = program.command('people').description('Who can sign in at the dashboard')
  peopleList(people)
  peopleResetTwoFactor(people)
}

interface Options {
  json?: true
}

function peopleList(people: Command): void {
  people
    .command('list')
    .description('Show everybody with an account, and what they sign in with')
    .option('--json', 'print a JSON list')
    .action(list)
}

async function list({ json }: Options): Promise<void> {
  printList(await withDatabase(({ db }) => listPeople(db)), {
    json,
    none: 'Nobody has an account yet: tradepost business owner-link',
    columns: {
      'E-MAIL': ({ email }) => email,
      NAME: ({ name }) => name,
      'TWO-FACTOR': ({ twoFactor }) => (twoFactor ? 'on' : 'off'),
      PASSKEYS: ({ passkeys }) => String(passkeys),
      IS: ({ memberships }) => memberships.join(', ') || 'in no business',
      SINCE: ({ createdAt }) => showMoment(createdAt),
    },
  })
}

function peopleResetTwoFactor(people: Command): void {
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
