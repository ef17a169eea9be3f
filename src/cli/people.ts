import type { Command } from 'commander'
import { listPeople, resetSecondFactor } from '../business/people/accounts.ts'
import { withDatabase } from './open.ts'
import { printJson, printLines, printTable, showMoment } from './output.ts'

interface Options {
  json?: true
}

export function peopleList(people: Command): void {
  people
    .command('list')
    .description('Show everybody with an account, and what they sign in with')
    .option('--json', 'print a JSON list')
    .action(list)
}

async function list({ json }: Options): Promise<void> {
  const people = await withDatabase(({ db }) => listPeople(db))
  if (json) {
    printJson(people)
    return
  }
  if (people.length === 0) {
    printLines('Nobody has an account yet: tradepost business owner-link')
    return
  }
  printTable(
    ['E-MAIL', 'NAME', 'TWO-FACTOR', 'PASSKEYS', 'IS', 'SINCE'],
    people.map((person) => [
      person.email,
      person.name,
      person.twoFactor ? 'on' : 'off',
      String(person.passkeys),
      person.memberships.join(', ') || 'in no business',
      showMoment(person.createdAt),
    ]),
  )
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
