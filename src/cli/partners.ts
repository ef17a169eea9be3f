import type { Command } from 'commander'
import { GRACE_HOURS } from '../business/keys/service.ts'
import { NEVER_IN } from '../business/partners/scopes.ts'
import {
  createPartner,
  listPartners,
  revokePartner,
  rotatePartner,
} from '../business/partners/service.ts'
import { withDatabase } from './open.ts'
import { dim, formatTimestamp, printFields, printJson, printLines, printList } from './output.ts'
import { readHours, readList } from './values.ts'

export function partnersCommands(program: Command): void {
  const partners = program
    .command('partners')
    .description('Manage partners, which act for businesses')
  partnersList(partners)
  partnersCreate(partners)
  partnersRevoke(partners)
  partnersRotate(partners)
}

interface Options {
  name: string
  live?: boolean
  scopes?: string[]
  json?: true
}

function partnersCreate(partners: Command): void {
  partners
    .command('create')
    .description('Create a partner, whose client secret is shown once')
    .requiredOption('--name <NAME>', 'name that businesses see')
    .option('--live', 'use live mode (default: test mode)')
    .option('--scopes <list>', 'maximum scopes for any business (default: everything)', readList)
    .option('--json', 'print the secret and the record as JSON')
    .addHelpText(
      'after',
      `
A partner has no access until a business connects it by sending the client id to
POST …/user-service/v1/partners. A partner can have the same scopes as a key, except those for the
collections ${NEVER_IN.join(', ')}; see tradepost keys create.

Examples:
  $ tradepost partners create --name "Books & Co"
  $ tradepost partners create --name "Books & Co" --live --scopes invoices:write,wallet:read`,
    )
    .action(create)
}

async function create({ name, live = false, scopes, json }: Options): Promise<void> {
  const request = { name, live, scopes: scopes ?? null }
  const { clientSecret, record } = await withDatabase(({ db, ids, now }) =>
    db.transaction((tx) => createPartner(tx, ids, request, now)),
  )
  if (json) {
    printJson({ clientSecret, ...record })
    return
  }
  printLines(`Partner ${record.name}, in ${record.mode} mode. The secret is shown only once:`)
  printFields({ 'client id': record.clientId, 'client secret': clientSecret })
  printLines(
    dim('Keep the secret on the partner’s server, never in a browser, an app or a repository.'),
  )
}

function partnersList(partners: Command): void {
  partners
    .command('list')
    .description('List partners and how many businesses have connected each of them')
    .option('--json', 'print JSON')
    .action(list)
}

async function list({ json }: { json?: true }): Promise<void> {
  printList(await withDatabase(({ db }) => listPartners(db)), {
    json,
    none: 'There are no partners yet. Create one with: tradepost partners create --name NAME',
    columns: {
      'CLIENT ID': ({ clientId }) => clientId,
      NAME: ({ name }) => name,
      MODE: ({ mode }) => mode,
      STATUS: ({ status }) => status,
      SCOPES: ({ scopes }) => scopes?.join(',') ?? 'everything',
      BUSINESSES: ({ businesses }) => String(businesses),
      CREATED: ({ createdAt }) => formatTimestamp(createdAt),
    },
  })
}

function partnersRevoke(partners: Command): void {
  partners
    .command('revoke')
    .description(
      'Revoke a partner and its tokens permanently; running servers refuse them within a second',
    )
    .argument('<CLIENT_ID>', 'client id from partners list')
    .option('--json', 'print the record as JSON')
    .addHelpText('after', '\nExample:\n  $ tradepost partners revoke pc_test_4fJ0aQx7Lk2Zr9TbWc1D')
    .action(revoke)
}

async function revoke(clientId: string, { json }: Options): Promise<void> {
  const record = await withDatabase(({ db, now }) =>
    db.transaction((tx) => revokePartner(tx, clientId, now)),
  )
  if (json) printJson(record)
  else printLines(`Partner ${record.name} (${record.clientId}) was revoked.`)
}

interface RotateOptions {
  graceHours: number
  json?: true
}

function partnersRotate(partners: Command): void {
  partners
    .command('rotate')
    .description('Give a partner a new client secret, which is shown once')
    .argument('<CLIENT_ID>', 'client id from partners list')
    .option(
      '--grace-hours <hours>',
      `how long the old secret keeps working, 0 to ${GRACE_HOURS.most}`,
      readHours,
      GRACE_HOURS.default,
    )
    .option('--json', 'print the secret and the record as JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ tradepost partners rotate pc_test_4fJ0aQx7Lk2Zr9TbWc1D
  $ tradepost partners rotate pc_test_4fJ0aQx7Lk2Zr9TbWc1D --grace-hours 0    (disable a leaked
    secret and its tokens now)`,
    )
    .action(rotate)
}

async function rotate(clientId: string, { graceHours, json }: RotateOptions): Promise<void> {
  const { clientSecret, record } = await withDatabase(({ db, ids, now }) =>
    db.transaction((tx) => rotatePartner(tx, ids, clientId, graceHours, now)),
  )
  if (json) {
    printJson({ clientSecret, ...record })
    return
  }
  const end = graceHours === 0 ? 'has expired' : `expires in ${graceHours} hours`
  printLines(`The old secret for ${record.name} ${end}. The new one is shown only once:`)
  printFields({ 'client id': record.clientId, 'client secret': clientSecret })
  printLines(
    dim('Keep the secret on the partner’s server, never in a browser, an app or a repository.'),
  )
}
