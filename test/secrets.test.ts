import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { ENCRYPTED_COLUMNS } from '../src/app/encrypted.ts'
import { partnersOf } from '../src/business/partners/partners.fixture.ts'
import { rotatePartner } from '../src/business/partners/service.ts'
import { createLink } from '../src/business/people/one-time-links.ts'
import {
  codeAt,
  emailTo,
  memberOf,
  tokenIn,
  turnTwoFactorOn,
} from '../src/business/people/people.fixture.ts'
import { valuesIn } from '../src/encryption/columns.ts'
import { plainDocument } from '../src/lib/openapi.ts'
import { asOwner, startServer } from './harness.ts'

const server = await startServer()
const { db, ids, clock } = server
const WEBHOOKS = '/api/user-service/external/v1/webhooks'
const SETTINGS = '/api/user-service/external/v1/profile/settings'

interface Column {
  table: string
  column: string
  type: string
}

/**
 * Returns each `table.column` in which a dump of the database contains one of these, as it is, as
 * bytes, in base 64 or in JSON.
 */
const holding = (secrets: readonly string[]): Promise<string[]> =>
  asOwner(server.name, async (client) => {
    const { rows } = await client.query<Column>(`
      select table_name as table, column_name as column, data_type as type
      from information_schema.columns where table_schema = 'public'`)
    const found: string[] = []
    const encoded = (as: BufferEncoding) => secrets.map((one) => Buffer.from(one).toString(as))
    const planted = [...secrets, ...encoded('hex'), ...encoded('base64url')]
    for (const { table, column, type } of rows) {
      const text = type === 'bytea' ? `encode(t."${column}", 'escape')` : `t."${column}"::text`
      const { rows: hits } = await client.query(
        `select 1 from "${table}" t join unnest($1::text[]) as s (planted)
          on position(s.planted in ${text}) > 0 limit 1`,
        [planted],
      )
      if (hits.length > 0) found.push(`${table}.${column}`)
    }
    return found.sort()
  })

interface Cluster {
  tables: string
  log: string
  /** The name of the file to which the log is being written. */
  segment: string
}

/** Writes everything to disk, and returns where it is. */
async function clusterOnDisk(): Promise<Cluster> {
  const admin = new pg.Client({ ...inject('cluster').superuser, database: server.name })
  await admin.connect()
  await admin.query('checkpoint')
  const { rows } = await admin.query(`
    select current_setting('data_directory') || '/base/' || oid as tables,
      current_setting('data_directory') || '/pg_wal' as log,
      pg_walfile_name(pg_current_wal_insert_lsn()) as segment
    from pg_database where datname = current_database()`)
  await admin.end()
  return rows[0] as Cluster
}

/** PostgreSQL gives old WAL files new names meanwhile. */
function emptyIfGone(error: NodeJS.ErrnoException): Buffer {
  if (error.code !== 'ENOENT') throw error
  return Buffer.alloc(0)
}

/**
 * Returns the files that contain one of these: of the database, of its log since `began`, and of
 * the server's own directory.
 */
async function filesHolding(secrets: readonly string[], began: Cluster): Promise<string[]> {
  const { tables, log, segment } = await clusterOnDisk()
  const names = await readdir(tables)
  expect(names.length).toBeGreaterThan(100)
  // A segment with a later name may be an old one, which is used again.
  const logged = (await readdir(log)).filter((name) => name >= began.segment && name <= segment)
  expect(logged.length).toBeGreaterThan(0)
  const { directory } = server
  const own = existsSync(directory)
    ? (await readdir(directory, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : []
  const paths = [
    ...names.map((name) => join(tables, name)),
    ...logged.map((name) => join(log, name)),
    ...own,
  ]
  const found: string[] = []
  for (const path of paths) {
    const content = await readFile(path).catch(emptyIfGone)
    if (secrets.some((secret) => content.includes(secret))) found.push(path)
  }
  return found
}

test('secrets are readable in no dump, file of the database or log line', async () => {
  const began = await clusterOnDisk()
  const { businessId, keys } = await server.newBusiness()
  const { post, put } = server.as(keys.testSecret)
  const once = (key: string) => ({ 'idempotency-key': key })
  const secrets: string[] = Object.values(keys)
  const shown = (...values: unknown[]) => {
    for (const value of values) {
      expect(value).toEqual(expect.stringMatching(/^\S{10,}$/))
      secrets.push(value as string)
    }
  }

  const hook = { url: 'https://example.com/hook' }
  const made = await post(WEBHOOKS, hook, once('make'))
  const { reference, secret } = made.body.data
  const rotated = await post(`${WEBHOOKS}/${reference}/rotate-secret`, {}, once('rotate'))
  shown(secret, rotated.body.data.secret)
  shown((await put(SETTINGS, { feeBearer: 'customer' }, once('set'))).body.data.redirectSecret)

  const owner = await memberOf(server, 'owner', businessId)
  const key = await owner.post('/console/keys', { label: 'Shop' }, once('key'))
  const { reference: of, key: first } = key.body.data
  const next = await owner.post(`/console/keys/${of}/rotate`, {}, once('next'))
  shown(first, next.body.data.key)

  const { newPartner, grant, exchange } = partnersOf(server)
  const { clientId, clientSecret } = await newPartner()
  await grant(keys.testSecret, clientId)
  shown(
    clientSecret,
    (await exchange({ clientId, clientSecret }, once('token'))).body.data.accessToken,
  )
  const now = clock.now()
  const renewed = await db.transaction((tx) => rotatePartner(tx, ids, clientId, 1, now))
  shown(renewed.clientSecret)

  const about = { business_id: businessId, role: 'viewer', email: 'x@people.example' } as const
  const link = { kind: 'invitation', person_id: null, ...about } as const
  shown((await createLink(db, 'http://127.0.0.1', link, now)).token)
  const email = 'invited@people.example'
  expect((await owner.post('/console/team/invite', { email, role: 'viewer' })).status).toBe(200)
  shown(tokenIn(await emailTo(server, email)))
  const { secret: totp, recoveryCodes: codes } = await turnTwoFactorOn(server, owner)
  shown(totp, ...codes)
  expect(codeAt(totp, now)).toMatch(/^\d{6}$/)

  const providerKey = 'sk_test_a_key_of_a_provider'
  // Nobody listens there, so the connections stay drafts.
  const connection = { provider: 'paystack', baseUrl: 'http://127.0.0.1:1' }
  const credentials = { secret_key: providerKey }
  const connected = await owner.post('/console/providers', { ...connection, credentials })
  const { connectionId, noticeUrl } = connected.body.data
  const refused = { credentials: { secret_key: 'sk_test_a_key_that_is_not_checked' } }
  const path = `/console/providers/${connectionId}/credentials`
  expect((await owner.post(path, refused)).status).toBe(503)
  const other = await owner.post('/console/providers', {
    ...connection,
    provider: 'flutterwave',
    credentials: { secret_key: 'FLWSECK_TEST-a-key-of-a-provider-X' },
  })
  shown(refused.credentials.secret_key, 'FLWSECK_TEST-a-key-of-a-provider-X')
  shown(other.body.data.made.secret_hash)
  const payer = 'payer-of-the-notification'
  const notification = JSON.stringify({ event: 'charge.success', data: { payer } })
  const signature = createHmac('sha512', providerKey).update(notification).digest('hex')
  const headers = { 'content-type': 'application/json', 'x-paystack-signature': signature }
  const url = server.url + new URL(noticeUrl).pathname
  const stored = await fetch(url, { method: 'POST', headers, body: notification })
  expect(stored.status).toBe(200)
  shown(providerKey, payer)

  const SERVICE = '/api/transaction-service/external/v1'
  const [recipient, seller, own] = ['8034516277', '8034516278', '8034516279']
  const transfer = { amount: 1_000, bankCode: '058', accountNumber: recipient }
  const sent = await post(`${SERVICE}/transfers`, transfer, once('transfer'))
  const subaccount = { business_name: 'Stall', account_number: seller, percentage_charge: 0 }
  const stall = (await post(`${SERVICE}/subaccounts`, { ...subaccount, bank: 58 })).body.data
  const split = [{ subaccount: stall.subaccount_code, share: 50 }]
  const page = await post(`${SERVICE}/split-page`, { name: 'Market', subaccounts: split })
  const ussd = { channel: 'USSD', amount: 1_000, pageId: page.body.data.id }
  const { reference: paid } = (await post(`${SERVICE}/transaction-with-ussd`, ussd)).body.data
  await post('/api/simulator/ussd', { reference: paid, outcome: 'success' })
  const [settled] = (await post('/api/simulator/settlement')).body.data.settlements
  const settlementAccount = { bankCode: '058', accountNumber: own }
  await put(SETTINGS, { settlementAccount })
  const record = { accountNumber: recipient, status: 'Pending' }
  expect([sent.body.data, settled]).toMatchObject([record, { accountNumber: seller }])

  // Those that the server reads again are there, but encrypted.
  for (const column of ENCRYPTED_COLUMNS) {
    if (column.name === 'people.totp_pending') continue
    const first = await valuesIn(db, column).next()
    expect(first.done, column.name).toBe(false)
  }
  expect(await holding(secrets)).toEqual([])
  expect(await filesHolding(secrets, began)).toEqual([])
  const numbers = [recipient, seller, own]
  expect(await holding(numbers)).toEqual(SHOWN)
  const log = server.logLines.join('\n')
  expect([...secrets, ...numbers].filter((one) => log.includes(one))).toEqual([])
})

/** Where records are stored as the API shows them, with the numbers of accounts. */
const SHOWN = ['events.data', 'idempotency_keys.body']

test('every column with encrypted values is one that rekey knows', async () => {
  const rows = await db.many<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'bytea'
      and (column_name ~ 'encrypted$' or column_name in ('totp_secret', 'totp_pending'))`
  const known = ENCRYPTED_COLUMNS.map(({ name }) => name)
  // Rekey deletes the key of a value in any other column.
  expect(rows.map(({ name }) => name).sort()).toEqual([...known].sort())
})

test('every operation that returns a secret declares it, and replays do not repeat it', async () => {
  const { body } = await server.get('/openapi.json')
  const { paths } = plainDocument(body as { paths: Record<string, Record<string, object>> })
  const answering = Object.values(paths)
    .flatMap((path) => Object.entries(path))
    .filter(([method, operation]) => {
      const { responses } = operation as { responses?: Record<string, object> }
      const ok = Object.entries(responses ?? {}).filter(([status]) => status.startsWith('2'))
      return method !== 'get' && /"\w*[sS]ecret"\s*:/.test(JSON.stringify(ok))
    })
    .map(([, operation]) => (operation as { operationId: string }).operationId)
  expect([...new Set(answering)].sort()).toEqual([
    'create_webhook',
    'rotate_webhook_secret',
    'update_profile_settings',
  ])
})
