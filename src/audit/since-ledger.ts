import type { Db } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { sealedContent, sealedContent1 } from '../ledger/seals.ts'
import { type Checking, type Link, type Position, REWRITTEN } from './position.ts'

const PAGE = 5_000

interface SealRow {
  seq: number
  transfer_id: number
  /** In hex. */
  hash: string
  isThere: boolean
  fits: boolean
  debit_account_id: number
  credit_account_id: number
  amount_minor: bigint
}

type Sums = Map<number, [debits: bigint, credits: bigint]>

/**
 * Checks the transfers and journals that were sealed since the position, and that each account has
 * exactly the balance that its transfers add up to.
 */
export async function checkLedger(
  checking: Checking,
): Promise<Pick<Position, 'ledger' | 'accounts'>> {
  const { db, within, position, report } = checking
  const { businessId, live } = position
  const sums: Sums = new Map(
    Object.entries(position.accounts).map(([id, [debits, credits]]) => [
      Number(id),
      [BigInt(debits), BigInt(credits)],
    ]),
  )
  await checkKept(checking)
  let last = position.ledger
  for (;;) {
    const page = await sealPage(db, position, last)
    last = take(checking, page, last, sums)
    if (page.length < PAGE) break
  }
  // The rest, the queue, the head and the balances have to be from the same moment.
  await within(async (snapshot) => {
    for (;;) {
      const page = await sealPage(snapshot, position, last)
      last = take(checking, page, last, sums)
      if (page.length < PAGE) break
    }
    const head = await snapshot.maybe<Link>`
      select seq, encode(hash, 'hex') as hash from ledger_chains
      where business_id = ${businessId} and live = ${live}`
    if ((head?.seq ?? 0) !== last.seq || (last.seq > 0 && head?.hash !== last.hash)) {
      report('chain-ends', 'ledger_seals', head?.seq ?? 0, 'the chain head is not the last seal')
    }
    await checkBalances(checking, snapshot, sums)
  })
  const accounts = Object.fromEntries(
    [...sums].map(([id, [debits, credits]]) => [id, [String(debits), String(credits)]]),
  ) as Position['accounts']
  return { ledger: last, accounts }
}

async function checkKept({ db, position, report }: Checking): Promise<void> {
  const { businessId, live, ledger } = position
  if (ledger.seq === 0) return
  const kept = await db.maybe<{ hash: string }>`
    select encode(hash, 'hex') as hash from ledger_seals
    where business_id = ${businessId} and live = ${live} and seq = ${ledger.seq}`
  if (kept?.hash !== ledger.hash) report('heads', 'ledger_seals', ledger.seq, REWRITTEN)
}

const sealPage = (db: Db, { businessId, live }: Position, { seq, hash }: Link) =>
  db.many<SealRow>`
    select s.seq, s.transfer_id, encode(s.hash, 'hex') as hash,
      t.id is not null and j.id is not null as "isThere",
      coalesce(s.hash = sha256(s.previous_hash || convert_to(
        case s.version when 1 then ${sealedContent1}
          else ${sealedContent(sql`s.sealed_at`)} end, 'UTF8')), false) as fits,
      t.debit_account_id, t.credit_account_id, t.amount_minor
    from (
      select *, lag(hash, 1, decode(${hash}, 'hex')) over (order by seq) as previous_hash
      from (
        select * from ledger_seals
        where business_id = ${businessId} and live = ${live} and seq > ${seq}
        order by seq limit ${PAGE}
      ) as page
    ) as s
    left join ledger_transfers t
      on (t.business_id, t.live, t.id) = (s.business_id, s.live, s.transfer_id)
    left join ledger_journals j
      on (j.business_id, j.live, j.id) = (t.business_id, t.live, t.journal_id)
    order by s.seq`

function take(
  { report, examined }: Checking,
  page: readonly SealRow[],
  from: Link,
  sums: Sums,
): Link {
  let last = from
  for (const { seq, hash, ...row } of page) {
    if (seq !== last.seq + 1) {
      const gap = `seals ${last.seq + 1} to ${seq - 1} are missing`
      report('seal-gaps', 'ledger_seals', last.seq + 1, gap)
    } else if (!row.isThere) {
      const gone = `it is missing, but seal ${seq} covers it`
      report('seals', 'ledger_transfers', row.transfer_id, gone)
    } else if (!row.fits) {
      const changed = `it or its journal no longer matches seal ${seq}, or the seal was changed`
      report('seals', 'ledger_transfers', row.transfer_id, changed)
    }
    if (row.isThere) add(sums, row)
    last = { seq, hash }
  }
  examined.transfers += page.length
  return last
}

type Moved = Pick<SealRow, 'debit_account_id' | 'credit_account_id' | 'amount_minor'>

function add(sums: Sums, { debit_account_id, credit_account_id, amount_minor }: Moved): void {
  const [debits, before] = sums.get(debit_account_id) ?? [0n, 0n]
  sums.set(debit_account_id, [debits + amount_minor, before])
  const [same, credits] = sums.get(credit_account_id) ?? [0n, 0n]
  sums.set(credit_account_id, [same, credits + amount_minor])
}

/** Compares each account with the sealed transfers and those that are waiting to be sealed. */
async function checkBalances(
  { position: { businessId, live }, report }: Checking,
  snapshot: Db,
  sealed: Sums,
): Promise<void> {
  const sums: Sums = new Map(sealed)
  const waiting = await snapshot.many<Moved>`
    select t.debit_account_id, t.credit_account_id, t.amount_minor
    from (
      select distinct business_id, live, journal_id from ledger_unsealed
      where business_id = ${businessId} and live = ${live}
    ) as u
    join ledger_transfers t
      on (t.business_id, t.live, t.journal_id) = (u.business_id, u.live, u.journal_id)`
  for (const moved of waiting) add(sums, moved)
  const accounts = await snapshot.many<{ id: number; debits_minor: bigint; credits_minor: bigint }>`
    select id, debits_minor, credits_minor from ledger_accounts
    where business_id = ${businessId} and live = ${live}`
  for (const { id, debits_minor, credits_minor } of accounts) {
    const [debits, credits] = sums.get(id) ?? [0n, 0n]
    sums.delete(id)
    if (debits !== debits_minor || credits !== credits_minor) {
      const says =
        `it has debits of ${debits_minor} and credits of ${credits_minor}; ` +
        `its transfers total ${debits} and ${credits}`
      report('balances', 'ledger_accounts', id, says)
    }
  }
  for (const id of sums.keys()) {
    report('balances', 'ledger_accounts', id, 'it is missing, but it has transfers')
  }
}
