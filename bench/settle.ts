import pg from 'pg'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import { type Db, openDatabase } from '../src/db/database.ts'
import { type Ids, openIds } from '../src/db/ids.ts'
import { CHARGE_PURPOSE, openSettleBatch } from '../src/payments/attempts/settle.ts'
import { throwAwayCluster } from './cluster.ts'
import { type Figure, median, type Options, report } from './figures.ts'
import { transactionsPerSecond } from './pgbench.ts'
import { settlementRows } from './settle-reference.ts'

/** Concurrent callers that wait for a settlement, as notifications from a provider do. */
const CALLERS = 64
/** Of the transactions with row locks. */
const CLIENTS = 32
/** More than any variant can settle in a second. */
const CHARGES_PER_SECOND = 15_000

type Bench = Awaited<ReturnType<typeof openBench>>

/**
 * Measures charges that are split among 3 subaccounts and settled into one wallet: in batches,
 * beside the same rows in one transaction for each charge, which wait for each other's row locks.
 */
export async function measureSettle({ seconds, rounds }: Options): Promise<Figure[]> {
  const bench = await openBench(seconds)
  const all: { batched: number; alone: number }[] = []
  try {
    await warmUp(bench)
    for (let round = 0; round < rounds; round++) {
      all.push({ alone: await withRowLocks(bench), batched: await inBatches(bench) })
    }
  } finally {
    await bench.close()
  }
  const middle = (of: (round: (typeof all)[number]) => number) => median(all.map(of))
  return report([
    {
      goal: 6,
      what: 'settle into one wallet',
      value: middle((r) => r.batched),
      unit: '/s',
      reference: { name: 'row locks', value: middle((r) => r.alone) },
      ratio: middle((r) => r.batched / r.alone),
      atLeast: 12,
    },
  ])
}

async function openBench(seconds: number) {
  const cluster = await throwAwayCluster({ max_connections: '100' })
  const db = openDatabase({ connection: cluster.app, connectionsMax: 16 })
  const ids = openIds(db)
  const now = new Date()
  const { businessId } = await db.transaction((tx) =>
    createBusiness(tx, { ids, keyring: cluster.keyring }, { name: 'Bench', now }),
  )
  const batch = openSettleBatch({ db, ids })
  const settlementOf = (transactionId: number) => ({
    tenant: { businessId, live: false },
    transactionId,
    received_minor: 10_000_00n,
    attempt: 1,
    through: { connectionId: 1 },
    message: 'Approved',
    now: new Date(),
  })
  return {
    cluster,
    db,
    businessId,
    now,
    seconds,
    ...(await insertSplitPage(db, ids, businessId, now)),
    // Far above the ids that the sequence assigns in the meantime.
    nextCharge: 1_000_000_000,
    settle: (id: number) => batch.add(settlementOf(id)),
    async close() {
      await db.close()
      await cluster.stop()
    },
  }
}

/** Inserts three subaccounts that share half of each payment. */
async function insertSplitPage(db: Db, ids: Ids, businessId: number, now: Date) {
  const pageId = await ids.next()
  const subaccounts = [await ids.next(), await ids.next(), await ids.next()]
  await db.run`
    insert into split_pages (business_id, live, id, reference, name, slug, active, split_type,
      category, currency, total_share, created_at, updated_at)
    values (${businessId}, false, ${pageId}, 'PAG_bench', 'Market', 'market', true, 'percentage',
      false, 'NGN', 50, ${now}, ${now})`
  await db.run`
    insert into subaccounts (business_id, live, id, reference, status, business_name,
      account_number_plain, charge_basis_points, currency, created_at, updated_at)
    select ${businessId}::bigint, false, id, 'ACCT_' || id, 'Active', 'Stall ' || id, '0123456789',
      0, 'NGN', ${now}::timestamptz, ${now}::timestamptz
    from unnest(${subaccounts}::bigint[]) as id`
  return { pageId, subaccounts }
}

/**
 * Creates payments that are waiting for their money, without any from before, so that each variant
 * has tables of the same size. Returns the first of their ids.
 */
async function makeCharges(bench: Bench, count: number): Promise<number> {
  await withOwner(
    bench,
    'truncate events, subaccount_entries, transaction_shares, ledger_unsealed, ledger_seals, ' +
      'ledger_chains, ledger_transfers, ledger_journals cascade',
    'delete from transactions',
    'truncate provider_orders',
    'vacuum transactions',
  )
  const first = bench.nextCharge
  bench.nextCharge += count
  for (let from = first; from < first + count; from += 10_000) await insert(bench, from, 10_000)
  await withOwner(
    bench,
    'vacuum analyze transactions',
    'vacuum analyze provider_orders',
    'vacuum analyze transaction_shares',
  )
  return first
}

async function insert(bench: Bench, first: number, count: number): Promise<void> {
  const { db, businessId, now, pageId, subaccounts } = bench
  const timeline = JSON.stringify([{ status: 'Pending', at: now, message: null }])
  await db.run`
    insert into transactions (business_id, live, id, reference, purpose, purpose_id, status,
      channel, amount_minor, fee_minor, fee_bearer, payable_minor, currency, split_page_id,
      provider, ussd_codes, expires_at, timeline, event_sequence, created_at, updated_at)
    select ${businessId}::bigint, false, id, 'TRX_' || md5(id::text), ${CHARGE_PURPOSE}, id,
      'Pending', 'USSD', 1000000, 25000, 'business', 1000000, 'NGN', ${pageId}::bigint,
      'simulator', '[]', ${now}::timestamptz + interval '10 minutes', ${timeline}, 1,
      ${now}::timestamptz, ${now}::timestamptz
    from generate_series(${first}::bigint, ${first + count - 1}::bigint) as id`
  await db.run`
    insert into provider_orders (business_id, live, kind, subject_id, reference, connection_id,
      sent_reference, reference_format, amount_minor, currency, expires_at, lookup_plan, sent_at,
      next_at, created_at)
    select business_id, live, 'charge', id, reference, 1, reference, 2, payable_minor, currency,
      expires_at, 'payer', created_at, created_at + interval '1 minute', created_at
    from transactions where business_id = ${businessId} and id between ${first}
      and ${first + count - 1}`
  await db.run`
    insert into transaction_shares
      (business_id, live, transaction_id, subaccount_id, share, amount_minor)
    select ${businessId}::bigint, false, id, subaccount, share, share * 10000
    from generate_series(${first}::bigint, ${first + count - 1}::bigint) as id,
      unnest(${subaccounts}::bigint[], ${[25, 15, 10]}::bigint[]) as s (subaccount, share)`
}

async function withOwner({ cluster }: Bench, ...statements: string[]): Promise<void> {
  const owner = new pg.Client({ ...cluster.owner, statement_timeout: 0 })
  await owner.connect()
  for (const statement of statements) await owner.query(statement)
  await owner.end()
}

async function warmUp(bench: Bench): Promise<void> {
  const first = await makeCharges(bench, 10_000)
  await Promise.all(Array.from({ length: 5_000 }, (_, i) => bench.settle(first + i)))
}

/** Settlements per second, with callers that each wait for their own. */
async function inBatches(bench: Bench): Promise<number> {
  const count = CHARGES_PER_SECOND * bench.seconds
  const first = await makeCharges(bench, count)
  let next = first
  const began = performance.now()
  const until = began + bench.seconds * 1000
  const caller = async () => {
    while (performance.now() < until && next < first + count) {
      if (!(await bench.settle(next++))) throw new Error('A charge was not settled')
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return (next - first) / ((performance.now() - began) / 1000)
}

/** Settlements per second, without the server. */
async function withRowLocks(bench: Bench): Promise<number> {
  const { db, businessId, subaccounts, cluster, seconds } = bench
  const firstId = await makeCharges(bench, CHARGES_PER_SECOND * seconds)
  const accounts = await db.many<{ id: number; kind: string; subject_id: number }>`
    select id, kind, subject_id from ledger_accounts
    where business_id = ${businessId} and not live`
  const { id: sample } = await db.one<{ id: number }>`select max(id) as id from transactions`
  await bench.settle(sample)
  const { data: record } = await db.one<{ data: string }>`
    select data::text as data from events where type = 'transaction.successful' limit 1`
  const accountOf = (kind: string, subject = 0) =>
    accounts.find((one) => one.kind === kind && one.subject_id === subject)!.id
  return await transactionsPerSecond({
    statements: settlementRows({ businessId, record, accountOf, subaccounts }),
    firstId,
    clients: CLIENTS,
    seconds,
    connection: cluster.app,
  })
}
