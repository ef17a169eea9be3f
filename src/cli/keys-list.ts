import { type Command, Option } from 'commander'
import { listKeys } from '../resources/keys/service.ts'
import { businessOf, businessOption, limitsOf, type Mode } from './keys.ts'
import { withDatabase } from './open.ts'
import { printJson, printTable, showMoment } from './output.ts'

interface Options {
  business?: number
  mode?: Mode
  json?: true
}

export function keysList(keys: Command): void {
  keys
    .command('list')
    .description('Show the keys of a business; never the keys themselves')
    .addOption(businessOption())
    .addOption(new Option('--mode <mode>', 'only of this mode').choices(['test', 'live']))
    .option('--json', 'print a JSON list')
    .action(list)
}

async function list({ business, mode, json }: Options): Promise<void> {
  const modes = [false, true].filter((live) => !mode || live === (mode === 'live'))
  const keys = await withDatabase(async ({ db, now }) => {
    const businessId = await businessOf(db, business)
    const lists = await Promise.all(modes.map((live) => listKeys(db, { businessId, live }, now)))
    return lists.flat()
  })
  if (json) {
    printJson(keys)
    return
  }
  printTable(
    ['ID', 'KEY', 'STATUS', 'LABEL', 'MAY DO', 'LAST USED'],
    keys.map((key) => [
      String(key.id),
      key.hint,
      key.status,
      key.label ?? '-',
      key.type === 'public' ? '-' : limitsOf(key),
      showMoment(key.lastUsedAt),
    ]),
  )
}
