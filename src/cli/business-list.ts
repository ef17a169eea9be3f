import type { Command } from 'commander'
import { listBusinesses } from '../resources/businesses/service.ts'
import { withDatabase } from './open.ts'
import { printJson, printLines, printTable, showMoment } from './output.ts'

export function businessList(business: Command): void {
  business
    .command('list')
    .description('Show every business')
    .option('--json', 'print a JSON list')
    .action(list)
}

async function list({ json }: { json?: true }): Promise<void> {
  const businesses = await withDatabase(({ db }) => listBusinesses(db))
  if (json) {
    printJson(businesses)
    return
  }
  if (businesses.length === 0) {
    printLines('There is no business yet: tradepost business create NAME')
    return
  }
  printTable(
    ['ID', 'NAME', 'STATUS', 'E-MAIL', 'CREATED'],
    businesses.map(({ businessId, name, status, email, createdAt }) => [
      String(businessId),
      name,
      status,
      email ?? '-',
      showMoment(createdAt),
    ]),
  )
}
