import type { Command } from 'commander'
import { listPeople, resetSecondFactor } from '../business/people/accounts.ts'
import { withDatabase } from './open.ts'
import { formatTimestamp, printJson, printLines, printList } from './output.ts'

export function peopleCommands(program: Command): void {
  const people = program
    .command('people')
    .description('Manage the people who can sign in to the dashboard')
  peopleList(people)
  peopleResetTwoFactor(people)
}

interface Options {
  json?: true
}

function peopleList(people: Command): void {
  people
    .command('list')
    .description('List everyone with an account, and how they sign in')
    .option('--json', 'print JSON')
    .action(list)
}

async function list({ json }: Options): Promise<void> {
  printList(await withDatabase(({ db }) => listPeople(db)), {
    json,
    none: 'No one has an account yet. Invite the owner with: tradepost business owner-link',
    columns: {
      EMAIL: ({ email }) => email,
      NAME: ({ name }) => name,
      'TWO-FACTOR': ({ twoFactor }) => (twoFactor ? 'on' : 'off'),
      PASSKEYS: ({ passkeys }) => String(passkeys),
      IS: ({ memberships }) => memberships.join(', ') || 'in no business',
      SINCE: ({ createdAt }) => formatTimestamp(createdAt),
    },
  })
}

function peopleResetTwoFactor(people: Command): void {
  people
    .command('reset-two-factor')
    .description('Restore access for someone who has lost their phone and recovery codes')
    .argument('<EMAIL>', 'email address from people list')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Removes the authenticator app, the recovery codes and the passkeys, ends all sessions and forgets
known browsers. After that, the person needs only their password to sign in, so verify their
identity first, and not only by email. The reset is recorded in the audit log of each of their
businesses, and they receive an email.

Example:
  $ tradepost people reset-two-factor ada@example.com`,
    )
    .action(reset)
}

async function reset(email: string, { json }: Options): Promise<void> {
  const done = await withDatabase(({ db, ids, keyring, now }) =>
    db.transaction((tx) => resetSecondFactor(tx, { ids, keyring }, email, now)),
  )
  if (json) {
    printJson(done)
    return
  }
  const sessions = done.endedSessions === 1 ? '1 session' : `${done.endedSessions} sessions`
  printLines(
    `Removed two-factor authentication for ${done.name} (${done.email}) and ended ${sessions}.`,
    'They now need only their password to sign in. Ask them to set up a new authenticator app under Security.',
  )
}
