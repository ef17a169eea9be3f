import { createBusiness } from '../src/business/account/bootstrap.ts'
import { openDatabase } from '../src/db/database.ts'
import { openIds } from '../src/db/ids.ts'
import {
  CHARGE_PURPOSE,
  chargePayable,
  openSettlements,
  settleTransaction,
} from '../src/payments/attempts/settle.ts'
import { throwAwayCluster } from './cluster.ts'
import { hasPgbench } from './pgbench.ts'
import { CLIENTS, settleByPgbench } from './settle-reference.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 6)
/** Concurrent callers that wait for a settlement, as notifications from a provider do. */
const CALLERS = 64
/** The maximum size of a batch. */
const CROWD = 256
/** More than any variant can settle in the time it has. */
const CHARGES = 15_000 * SECONDS

const cluster = await throwAwayCluster({ max_connections: '100' })
const db = openDatabase({ connection: cluster.app, connectionsMax: CLIENTS + 4 })
const ids = openIds(db)
const now = new Date()
const { businessId } = await db.transaction((tx) => createBusiness(tx, ids, { name: 'Bench', now }))
const tenant = { businessId, live: false }
const split = await splitPage()
const batch = openSettlements({ db, ids })
const payables = { [CHARGE_PURPOSE]: chargePayable({ db, ids }) }

const settlementOf = (transactionId: number) => ({
  tenant,
  transactionId,
  received_minor: 10_000_00n,
  message: 'Approved',
  now: new Date(),
})

// Far above the ids that the sequence assigns in the meantime.
let nextCharge = 1_000_000_000
const rounds: { batched: number; crowd: number; alone: number; pgbench: number }[] = []
try {
  await measure()
  print()
} finally {
  await db.close()
  await cluster.stop()
}

async function measure(): Promise<void> {
  await warmUp()
  for (let round = 1; round <= ROUNDS; round++) {
    const pgbench = hasPgbench() ? await byPgbench() : Number.NaN
    const alone = await perSecond(CLIENTS, (id) =>
      db.transaction((tx) => settleTransaction(tx, ids, payables, settlementOf(id))),
    )
    const batched = await perSecond(CALLERS, (id) => batch.add(settlementOf(id)))
    const crowd = await perSecond(CROWD, (id) => batch.add(settlementOf(id)))
    rounds.push({ batched, crowd, alone, pgbench })
  }
}

/** Three subaccounts that share half of each payment. */
async function splitPage(): Promise<{ pageId: number; subaccounts: number[] }> {
  const pageId = await ids.next()
  const subaccounts = [await ids.next(), await ids.next(), await ids.next()]
  await db.run`
    insert into split_pages (business_id, live, id, reference, name, slug, active, split_type,
      category, currency, total_share, created_at, updated_at)
    values (${businessId}, false, ${pageId}, 'PAG_bench', 'Market', 'market', true, 'percentage',
      false, 'NGN', 50, ${now}, ${now})`
  await db.run`
    insert into subaccounts (business_id, live, id, reference, status, business_name,
      account_number, charge_basis_points, currency, created_at, updated_at)
    select ${businessId}::bigint, false, id, 'ACCT_' || id, 'Active', 'Stall ' || id, '0123456789',
      0, 'NGN', ${now}::timestamptz, ${now}::timestamptz
    from unnest(${subaccounts}::bigint[]) as id`
  return { pageId, subaccounts }
}

/** Creates payments that are waiting for their money. Returns the first of their ids. */
async function charges(count: number): Promise<number> {
  await cleanUp()
  const first = nextCharge
  nextCharge += count
  for (let from = first; from < first + count; from += 10_000) await insert(from, 10_000)
  await withOwner(
    'vacuum analyze transactions',
    'vacuum analyze provider_orders',
    'vacuum analyze transaction_shares',
  )
  return first
}

async function insert(first: number, count: number): Promise<void> {
  const timeline = JSON.stringify([{ status: 'Pending', at: now, message: null }])
  await db.run`
    insert into transactions (business_id, live, id, reference, purpose, purpose_id, status,
      channel, amount_minor, fee_minor, fee_bearer, payable_minor, currency, split_page_id,
      provider, ussd_codes, expires_at, timeline, event_sequence, created_at, updated_at)
    select ${businessId}::bigint, false, id, 'TRX_' || md5(id::text), ${CHARGE_PURPOSE}, id,
      'Pending', 'USSD', 1000000, 25000, 'business', 1000000, 'NGN', ${split.pageId}::bigint,
      'simulator', '[]', ${now}::timestamptz + interval '10 minutes', ${timeline}, 1,
      ${now}::timestamptz, ${now}::timestamptz
    from generate_series(${first}::bigint, ${first + count - 1}::bigint) as id`
  await db.run`
    insert into provider_orders (business_id, live, kind, subject_id, reference, connection_id,
      sent_reference, sent_at, next_at, created_at)
    select business_id, live, 'charge', id, reference, 1, reference, created_at,
      created_at + interval '1 minute', created_at
    from transactions where business_id = ${businessId} and id between ${first}
      and ${first + count - 1}`
  await db.run`
    insert into transaction_shares
      (business_id, live, transaction_id, subaccount_id, share, amount_minor)
    select ${businessId}::bigint, false, id, subaccount, share, share * 10000
    from generate_series(${first}::bigint, ${first + count - 1}::bigint) as id,
      unnest(${split.subaccounts}::bigint[], ${[25, 15, 10]}::bigint[]) as s (subaccount, share)`
}

/** Each variant is measured on tables of the same size. */
async function cleanUp(): Promise<void> {
  await withOwner(
    'truncate events, subaccount_entries, transaction_shares, ledger_unsealed, ledger_seals, ' +
      'ledger_chains, ledger_transfers, ledger_journals cascade',
    'delete from transactions',
    'truncate provider_orders',
    'vacuum transactions',
  )
}

async function withOwner(...statements: string[]): Promise<void> {
  const owner = openDatabase({ connection: cluster.owner, connectionsMax: 1 })
  await owner.withClient(async (client) => {
    await client.query('set statement_timeout = 0')
    for (const statement of statements) await client.query(statement)
  })
  await owner.close()
}

async function warmUp(): Promise<void> {
  const first = await charges(10_000)
  for (let id = first; id < first + 50; id++) {
    await db.transaction((tx) => settleTransaction(tx, ids, payables, settlementOf(id)))
  }
  const some = Array.from({ length: 5_000 }, (_, i) => batch.add(settlementOf(first + 100 + i)))
  await Promise.all(some)
}

/** Settlements per second with this many callers, each waiting for its own. */
async function perSecond(callers: number, settle: (id: number) => Promise<unknown>) {
  const first = await charges(CHARGES)
  let next = first
  const began = performance.now()
  const until = began + SECONDS * 1000
  const caller = async () => {
    while (performance.now() < until && next < first + CHARGES) {
      if (!(await settle(next++))) throw new Error('A charge was not settled')
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return (next - first) / ((performance.now() - began) / 1000)
}

async function byPgbench(): Promise<number> {
  const first = await charges(CHARGES)
  const accounts = await db.many<{ id: number; kind: string; subject_id: number }>`
    select id, kind, subject_id from ledger_accounts
    where business_id = ${businessId} and not live`
  const { id: sample } = await db.one<{ id: number }>`select max(id) as id from transactions`
  await batch.add(settlementOf(sample))
  const { data } = await db.one<{ data: string }>`
    select data::text as data from events where type = 'transaction.successful' limit 1`
  return settleByPgbench({
    connection: cluster.app,
    seconds: SECONDS,
    businessId,
    first,
    record: data,
    accountOf: (kind, subject = 0) =>
      accounts.find((one) => one.kind === kind && one.subject_id === subject)!.id,
    subaccounts: split.subaccounts,
  })
}

function print(): void {
  const middle = (of: (round: (typeof rounds)[number]) => number) =>
    rounds.map(of).sort((a, b) => a - b)[rounds.length >> 1]!
  const row = (name: string, value: string) => console.log(`  ${name.padEnd(52)} ${value}`)
  console.log(`Charges split among 3 subaccounts into one wallet, medians of ${ROUNDS} rounds\n`)
  row(`batched, ${CALLERS} callers, settled/s`, middle((r) => r.batched).toFixed(0))
  row(`batched, ${CROWD} callers, settled/s`, middle((r) => r.crowd).toFixed(0))
  row(`a transaction each, ${CLIENTS} callers, settled/s`, middle((r) => r.alone).toFixed(0))
  if (hasPgbench()) {
    row(`a transaction each, pgbench, ${CLIENTS} clients, /s`, middle((r) => r.pgbench).toFixed(0))
  }
  console.log('')
  for (const [callers, of] of [
    [CALLERS, (r) => r.batched],
    [CROWD, (r) => r.crowd],
  ] satisfies [number, (round: (typeof rounds)[number]) => number][]) {
    const alone = middle((r) => of(r) / r.alone).toFixed(1)
    row(`${callers} callers: × a transaction each (goal 10)`, alone)
    if (!hasPgbench()) continue
    row(`${callers} callers: × pgbench`, middle((r) => of(r) / r.pgbench).toFixed(1))
  }
}
