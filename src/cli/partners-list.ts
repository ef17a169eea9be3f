import type { Command } from 'commander'
import { listPartners } from '../resources/partners/service.ts'
import { withDatabase } from './open.ts'
import { printJson, printLines, printTable, showMoment } from './output.ts'

interface Options {
  json?: true
}

export function partnersList(partners: Command): void {
  partners
    .command('list')
    .description('Show the partners, and how many businesses let each act for them')
    .option('--json', 'print a JSON list')
    .action(list)
}

async function list({ json }: Options): Promise<void> {
  const partners = await withDatabase(({ db }) => listPartners(db))
  if (json) {
    printJson(partners)
    return
  }
  if (partners.length === 0) {
    printLines('There is no partner yet: tradepost partners create --name NAME')
    return
  }
  printTable(
    ['CLIENT ID', 'NAME', 'MODE', 'STATUS', 'MAY DO', 'BUSINESSES', 'MADE'],
    partners.map((partner) => [
      partner.clientId,
      partner.name,
      partner.mode,
      partner.status,
      partner.scopes?.join(',') ?? 'everything',
      String(partner.businesses),
      showMoment(partner.createdAt),
    ]),
  )
}
