import { type Static, Type } from 'typebox'
import type { Db } from '../db/database.ts'
import { isCurrency } from '../lib/money.ts'
import { dateRange, rangeOf } from '../lib/paging.ts'
import { invalid } from '../lib/problem.ts'
import { Text } from '../lib/schemas.ts'
import type { Caller } from '../lib/tenant.ts'
import { getSubaccount } from '../resources/subaccounts/service.ts'
import { causeOf } from '../resources/wallet/ledger.ts'
import { type AccountRow, OWN_KINDS, selectAccount, selectOwnAccounts } from './queries-accounts.ts'
import type { MoveFilter, Walk } from './queries-ledger.ts'

/** Of the list of all movements, and of its export. */
export const ledgerFilters = {
  ...dateRange,
  /** A kind of which there is one, or the code of a subaccount. */
  account: Type.Optional(Text(64)),
  /** Into the account, or out of it; of the whole business where no account is chosen. */
  direction: Type.Optional(Type.Enum(['in', 'out'])),
  kind: Type.Optional(Text(40)),
  cause: Type.Optional(Text(40)),
  /** Of what caused it. */
  reference: Type.Optional(Text(100)),
  currency: Type.Optional(
    Type.String({ pattern: '^[A-Z]{3}$', 'x-says': 'must be a currency code such as NGN' }),
  ),
}
const Filters = Type.Object(ledgerFilters)
export type LedgerFilters = Static<typeof Filters>

/** The account that is looked at, as it is now; without an id before it was first used. */
export interface Chosen extends Omit<AccountRow, 'id'> {
  id: number | undefined
}

export interface Sought {
  filter: MoveFilter
  account: Chosen | undefined
  /** Whether nothing between two of them is left out, so that balances can be told. */
  isWhole: boolean
}

/**
 * What is to be read for filters. Undefined where there is nothing to read: no account was used
 * yet, or nothing has the reference. Throws 400 for dates, and 404 for an unknown subaccount.
 */
export async function soughtBy(
  db: Db,
  caller: Caller,
  own: string,
  filters: LedgerFilters,
): Promise<Sought> {
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
): Promise<Chosen | undefined> {
  if (wanted === undefined) return undefined
  const isOwn = (OWN_KINDS as readonly string[]).includes(wanted)
  const of = isOwn ? undefined : await getSubaccount(db, caller, wanted)
  const meant = {
    kind: isOwn ? wanted : 'subaccount',
    subjectId: of?.id ?? 0,
    currency: currency ?? of?.currency ?? own,
  }
  const found = await selectAccount(db, caller, meant)
  const { kind, subjectId: subject_id } = meant
  return found ?? { id: undefined, kind, subject_id, currency: meant.currency, balance_minor: 0n }
}

/** Money at the provider grows by debits, as everything outside does. */
export const growsByDebits = (kind: string): boolean => kind === 'provider_clearing'

async function walksOf(
  db: Db,
  caller: Caller,
  account: Chosen | undefined,
  { direction, currency }: LedgerFilters,
): Promise<Walk[]> {
  if (account) return account.id === undefined ? [] : sidesOf(account.kind, account.id, direction)
  const accounts = await selectOwnAccounts(db, caller, currency)
  return accounts
    .filter(({ kind }) => direction === undefined || growsByDebits(kind))
    .flatMap(({ kind, id }) => sidesOf(kind, id, direction))
}

function sidesOf(kind: string, accountId: number, direction: LedgerFilters['direction']): Walk[] {
  const debit: Walk = { accountId, side: 'debit' }
  const credit: Walk = { accountId, side: 'credit' }
  if (direction === undefined) return [debit, credit]
  return [(direction === 'in') === growsByDebits(kind) ? debit : credit]
}
