import type { Command } from 'commander'
import { listPeople } from '../console/operator.ts'
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
