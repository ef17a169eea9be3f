import { type Static, Type } from 'typebox'
import type { Db } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { SCREENS } from '../../deep-links.ts'
import { DEBIT_KINDS } from '../../ledger/ledger.ts'
import { type Caller, hasScope, type Tenant } from '../../lib/caller.ts'
import { amountsOf, isCurrency, toAmount } from '../../lib/money.ts'
import { CursorMeta, dateRange, rangeOf } from '../../lib/paging.ts'
import { invalid } from '../../lib/problem.ts'
import { Envelope, Nullable, NullableTimestamp, Text, Timestamp } from '../../lib/schemas.ts'
import { codesOf, requireSubaccount, type SubaccountCode } from '../subaccounts/service.ts'
import { causeKey, causeOf, referencesOf } from '../wallet/service.ts'
import {
  type AccountRow,
  CONNECTION_KINDS,
  type MoveFilter,
  type MoveRow,
  OWN_KINDS,
  selectAccount,
  selectAccounts,
  type Walk,
} from './queries.ts'

const text = Type.String()
const amount = Type.Number()
const minor = Type.Integer()

/** What identifies an account to people: its kind, and the subaccount or connection it is for. */
const named = {
  kind: text,
  subaccount: Nullable(Type.Object({ code: text, name: text })),
  connection: Nullable(Type.Object({ id: Type.Integer(), name: text })),
}
const NamedAccount = Type.Object(named)
type NamedAccount = Static<typeof NamedAccount>

const move = {
  id: Type.Integer(),
  reference: text,
  kind: text,
  amount,
  amountMinor: minor,
  currency: text,
  from: Type.Object(named, { description: 'The account that was debited.' }),
  to: Type.Object(named, { description: 'The account that was credited.' }),
  cause: Type.Object({
    type: text,
    id: Type.Integer(),
    reference: Nullable(text),
    name: Nullable(Type.String({ description: 'Also null if your role cannot see it.' })),
  }),
  createdAt: Timestamp,
}
const Move = Type.Object(move)
export type MoveRecord = Static<typeof Move>

const balance = { currency: text, balance: amount, balanceMinor: minor }

export const EntryList = Type.Object({
  ...Envelope(
    Type.Array(
      Type.Object({
        ...move,
        direction: Nullable(Type.String({ description: 'in or out of the chosen account' })),
        balance: Nullable(
          Type.Number({ description: 'The balance of the chosen account after this movement.' }),
        ),
      }),
    ),
  ).properties,
  meta: Type.Object({
    ...CursorMeta.properties,
    lookedUntil: Nullable(Timestamp),
    account: Nullable(Type.Object({ ...named, ...balance })),
  }),
})

export const OneEntry = Envelope(
  Type.Object({
    ...move,
    verb: text,
    sealed: Nullable(Type.Object({ number: Type.Integer(), at: NullableTimestamp })),
    moves: Type.Array(Move),
    total: amount,
    sums: Type.Array(
      Type.Object({
        account: NamedAccount,
        debit: amount,
        debitMinor: minor,
        credit: amount,
        creditMinor: minor,
      }),
    ),
    steps: Type.Array(
      Type.Object({ reference: text, verb: text, createdAt: Timestamp, isThis: Type.Boolean() }),
    ),
  }),
)

export const LedgerAccounts = Envelope(
  Type.Object({
    accounts: Type.Array(Type.Object({ ...named, count: Type.Integer(), ...balance })),
    subaccounts: Type.Array(Type.Object({ ...named, ...balance })),
  }),
)

export async function moveRecords(
  db: Db,
  caller: Caller,
  rows: readonly MoveRow[],
): Promise<MoveRecord[]> {
  const sides = rows.map((row) => [debitOf(row), creditOf(row)] as const)
  const ids = sides.flat().filter(isSubaccount)
  const names = await codesOf(db, caller, [...new Set(ids.map(({ subject_id }) => subject_id))])
  const references = await referencesOf(db, caller, rows)
  const called = await namesOf(db, caller, rows)
  const nameOf = (side: Side) => accountNamed(side, names.get(side.subject_id))
  return rows.map((row, i) => ({
    id: row.id,
    reference: `LED_${row.id}`,
    kind: row.kind,
    ...amountsOf(row.currency, { amount: row.amount_minor }),
    currency: row.currency,
    from: nameOf(sides[i]![0]),
    to: nameOf(sides[i]![1]),
    cause: {
      type: row.cause_type,
      id: row.cause_id,
      reference: references.get(causeKey(row)) ?? null,
      name: called.get(causeKey(row)) ?? null,
    },
    createdAt: row.created_at,
  }))
}

/** Returns the names of causes, with one query for each type that the role can see. */
async function namesOf(
  db: Db,
  caller: Caller,
  rows: readonly MoveRow[],
): Promise<Map<string, string | null>> {
  const names = new Map<string, string | null>()
  for (const [type, caused] of Map.groupBy(rows, ({ cause_type }) => cause_type)) {
    const scope = SCREENS[type]?.scope
    if (!scope || !hasScope(caller, scope)) continue
    const ids = [...new Set(caused.map(({ cause_id }) => cause_id))]
    for (const { id, name } of await selectNames(db, caller, type, ids)) {
      names.set(causeKey({ cause_type: type, cause_id: id }), name)
    }
  }
  return names
}

type Side = Pick<AccountRow, 'kind' | 'subject_id' | 'connection'>

const debitOf = (row: MoveRow): Side => ({
  kind: row.debit_kind,
  subject_id: row.debit_subject,
  connection: row.debit_connection,
})

const creditOf = (row: MoveRow): Side => ({
  kind: row.credit_kind,
  subject_id: row.credit_subject,
  connection: row.credit_connection,
})

export const isSubaccount = ({ kind }: Pick<Side, 'kind'>): boolean => kind === 'subaccount'

/** `of` is the subaccount, for an account of one. */
export const accountNamed = (side: Side, of: SubaccountCode | undefined): NamedAccount => ({
  kind: side.kind,
  subaccount: of && isSubaccount(side) ? { code: of.reference, name: of.business_name } : null,
  connection: side.connection === null ? null : { id: side.subject_id, name: side.connection },
})

/**
 * Returns a balance with the sign that people expect: money held with a provider is an asset and
 * not a debt.
 */
export function balanceOf({
  kind,
  currency,
  balance_minor,
}: Pick<AccountRow, 'kind' | 'currency' | 'balance_minor'>) {
  const minor = growsByDebits(kind) ? -balance_minor : balance_minor
  return { currency, balance: toAmount(minor, currency), balanceMinor: Number(minor) }
}

export const ledgerFilters = {
  ...dateRange,
  /**
   * The kind of an account that exists only once, the code of a subaccount, or the kind and the
   * connection of an account for one, such as `provider_clearing.1`.
   */
  account: Type.Optional(Text(64)),
  /** Into or out of the chosen account. If no account is chosen, into or out of the business. */
  direction: Type.Optional(Type.Enum(['in', 'out'])),
  kind: Type.Optional(Text(40)),
  cause: Type.Optional(Text(40)),
  /** The reference of the cause. */
  reference: Type.Optional(Text(100)),
  currency: Type.Optional(
    Type.String({ pattern: '^[A-Z]{3}$', 'x-says': 'must be a currency code such as NGN' }),
  ),
}
const Filters = Type.Object(ledgerFilters)
export type LedgerFilters = Static<typeof Filters>

/** The chosen account. It has no id before its first use. */
export interface ChosenAccount extends Omit<AccountRow, 'id'> {
  id: number | undefined
}

export interface LedgerSearch {
  filter: MoveFilter
  account: ChosenAccount | undefined
  /** Whether the list is complete, so that balances can be shown. */
  isWhole: boolean
}

/**
 * Returns what to read for these filters; `undefined` if there is nothing to read, because no
 * account has been used yet or no record has the reference. Throws 400 for invalid dates, and 404
 * for an unknown subaccount.
 */
export async function ledgerSearchOf(
  db: Db,
  caller: Caller,
  own: string,
  filters: LedgerFilters,
): Promise<LedgerSearch> {
  const { direction, kind, cause: causeType, reference, currency } = filters
  if (currency !== undefined && !isCurrency(currency)) {
    throw invalid({ currency: ['must be an ISO 4217 currency code'] })
  }
  const range = rangeOf(filters, caller.timeZone)
  const account = await accountOf(db, caller, own, filters)
  const cause = reference === undefined ? undefined : await causeOf(db, caller, reference)
  const isNone = reference !== undefined && !cause
  const walks = isNone ? [] : await walksOf(db, caller, account, filters)
  return {
    filter: { walks, range, kind, causeType, cause },
    account,
    isWhole: [direction, kind, causeType, reference].every((one) => one === undefined),
  }
}

async function accountOf(
  db: Db,
  caller: Caller,
  own: string,
  { account: wanted, currency }: LedgerFilters,
): Promise<ChosenAccount | undefined> {
  if (wanted === undefined) return undefined
  const unused = await unusedAccount(db, caller, own, wanted)
  const { kind, subject_id: subjectId } = unused
  const meant = { kind, subjectId, currency: currency ?? unused.currency }
  return (await selectAccount(db, caller, meant)) ?? { ...unused, currency: meant.currency }
}

/** Returns the account with this name, as it is before its first use. */
async function unusedAccount(
  db: Db,
  caller: Caller,
  own: string,
  wanted: string,
): Promise<ChosenAccount> {
  const [kind = wanted, connection] = wanted.split('.')
  const empty = { id: undefined, kind, connection: null, balance_minor: 0n }
  if (OWN_KINDS.includes(wanted)) return { ...empty, subject_id: 0, currency: own }
  if (CONNECTION_KINDS.includes(kind) && /^\d{1,15}$/.test(connection ?? '')) {
    return { ...empty, subject_id: Number(connection), currency: own }
  }
  const { id, currency } = await requireSubaccount(db, caller, wanted)
  return { ...empty, kind: 'subaccount', subject_id: id, currency }
}

export const growsByDebits = (kind: string): boolean =>
  (DEBIT_KINDS as readonly string[]).includes(kind)

async function walksOf(
  db: Db,
  caller: Caller,
  account: ChosenAccount | undefined,
  { direction, currency }: LedgerFilters,
): Promise<Walk[]> {
  if (account) return account.id === undefined ? [] : sidesOf(account.kind, account.id, direction)
  const accounts = await selectAccounts(db, caller, currency)
  return accounts
    .filter(({ kind }) => direction === undefined || kind === 'provider_clearing')
    .flatMap(({ kind, id }) => sidesOf(kind, id, direction))
}

function sidesOf(kind: string, accountId: number, direction: LedgerFilters['direction']): Walk[] {
  const debit: Walk = { accountId, side: 'debit' }
  const credit: Walk = { accountId, side: 'credit' }
  if (direction === undefined) return [debit, credit]
  return [(direction === 'in') === growsByDebits(kind) ? debit : credit]
}

interface Named {
  /** The table, aliased as `r`, and the tables needed for the name. */
  from: Sql
  /** The payer, the recipient or the product. */
  name: Sql
}

/** Causes that have names, which people recognise more easily than references. */
const NAMED: Record<string, Named> = {
  transaction: {
    from: sql`transactions r`,
    name: sql`coalesce(r.customer_name, r.customer_email)`,
  },
  deposit: { from: sql`deposits r`, name: sql`r.sender ->> 'accountName'` },
  refund: {
    from: sql`refunds r
      join transactions t
        on (t.business_id, t.live, t.id) = (r.business_id, r.live, r.transaction_id)`,
    name: sql`coalesce(t.customer_name, t.customer_email)`,
  },
  dispute: {
    from: sql`disputes r
      join transactions t
        on (t.business_id, t.live, t.id) = (r.business_id, r.live, r.transaction_id)`,
    name: sql`coalesce(t.customer_name, t.customer_email)`,
  },
  transfer: {
    from: sql`transfers r`,
    name: sql`coalesce(r.account_name, '•••• ' || r.account_last4)`,
  },
  settlement: {
    from: sql`settlements r
      join subaccounts s
        on (s.business_id, s.live, s.id) = (r.business_id, r.live, r.subaccount_id)`,
    name: sql`s.business_name`,
  },
  utility_payment: { from: sql`utility_payments r`, name: sql`r.package_name` },
  funding: { from: sql`funding_payments r`, name: sql`r.sender ->> 'name'` },
}

/** Selects the names of causes of one type, by id. Leaves out causes without a name. */
export async function selectNames(
  db: Db,
  { businessId, live }: Tenant,
  type: string,
  ids: readonly number[],
): Promise<{ id: number; name: string | null }[]> {
  const named = NAMED[type]
  if (!named) return []
  return db.many<{ id: number; name: string | null }>`
    select r.id, ${named.name} as name from ${named.from}
    where r.business_id = ${businessId} and r.live = ${live}
      and r.id = any(${ids}::bigint[])`
}
