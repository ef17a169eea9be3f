import type { Command } from 'commander'
import { GRACE_HOURS, rotateKey } from '../resources/keys/service.ts'
import { businessOf, businessOption, keyOf, limitsOf } from './keys.ts'
import { withDatabase } from './open.ts'
import { dim, printFields, printJson, printLines, showMoment } from './output.ts'
import { readHours } from './values.ts'

interface Options {
  business?: number
  graceHours: number
  json?: true
}

export function keysRotate(keys: Command): void {
  keys
    .command('rotate')
    .description('Replace a key by a new one with the same rights, which is shown once')
    .argument('<KEY>', 'its id or reference, as keys list shows it')
    .addOption(businessOption())
    .option(
      '--grace-hours <hours>',
      `how long the old key goes on, 0 to ${GRACE_HOURS.most}`,
      readHours,
      GRACE_HOURS.default,
    )
    .option('--json', 'print the new key, its record and the old record as JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ tradepost keys rotate 104
  $ tradepost keys rotate 104 --grace-hours 0    (it leaked: end it now)`,
    )
    .action(rotate)
}

async function rotate(named: string, { business, graceHours, json }: Options): Promise<void> {
  const { key, record, replaced } = await withDatabase(async ({ db, ids, now }) => {
    const { tenant, keyId } = await keyOf(db, await businessOf(db, business), named, now)
    return db.transaction((tx) => rotateKey(tx, ids, tenant, keyId, graceHours, now))
  })
  if (json) {
    printJson({ key, ...record, replaced })
    return
  }
  const end = replaced.revokedAt ? 'has ended' : `ends ${showMoment(replaced.expiresAt)}`
  printLines(`Key ${record.id} replaces ${replaced.id}, which ${end}. Shown this once:`)
  printFields({ key, 'may do': limitsOf(record) })
  printLines(dim('Keep it on your server: never in a browser, an app or a repository.'))
}
