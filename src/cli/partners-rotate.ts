import type { Command } from 'commander'
import { GRACE_HOURS } from '../resources/keys/service.ts'
import { rotatePartner } from '../resources/partners/service.ts'
import { withDatabase } from './open.ts'
import { dim, printFields, printJson, printLines } from './output.ts'
import { readHours } from './values.ts'

interface Options {
  graceHours: number
  json?: true
}

export function partnersRotate(partners: Command): void {
  partners
    .command('rotate')
    .description('Give a partner another client secret, which is shown once')
    .argument('<CLIENT_ID>', 'as partners list shows it')
    .option(
      '--grace-hours <hours>',
      `how long the old secret goes on, 0 to ${GRACE_HOURS.most}`,
      readHours,
      GRACE_HOURS.default,
    )
    .option('--json', 'print the secret and the record as JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ tradepost partners rotate pc_test_4fJ0aQx7Lk2Zr9TbWc1D
  $ tradepost partners rotate pc_test_4fJ0aQx7Lk2Zr9TbWc1D --grace-hours 0    (it leaked: end it,
    and the tokens that it got, now)`,
    )
    .action(rotate)
}

async function rotate(clientId: string, { graceHours, json }: Options): Promise<void> {
  const { clientSecret, record } = await withDatabase(({ db, ids, now }) =>
    db.transaction((tx) => rotatePartner(tx, ids, clientId, graceHours, now)),
  )
  if (json) {
    printJson({ clientSecret, ...record })
    return
  }
  const end = graceHours === 0 ? 'has ended' : `ends in ${graceHours} hours`
  printLines(`The old secret of ${record.name} ${end}. Shown this once:`)
  printFields({ 'client id': record.clientId, 'client secret': clientSecret })
  printLines(dim('The secret is for its own server: never for a browser, an app or a repository.'))
}
