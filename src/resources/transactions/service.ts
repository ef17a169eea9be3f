import type { Db } from '../../db/database.ts'
import type { Tenant } from '../../lib/tenant.ts'
import type { UssdCode } from '../../providers/provider.ts'
import {
  selectAttempts,
  selectById,
  selectByReference,
  selectReceived,
  type TransactionRow,
} from './queries.ts'
import { selectAccountOf, type VirtualAccountRow } from './queries-accounts.ts'
import { UNTOLD } from './queries-untold.ts'

export type { TransactionRow } from './queries.ts'
export { dismissOpen } from './queries.ts'
export type { VirtualAccountRow } from './queries-accounts.ts'

/** An attempt at paying, with what the payer needs for it. */
export interface Attempt {
  transaction: TransactionRow
  account: VirtualAccountRow | undefined
  ussdCodes: UssdCode[]
}

/** The newest attempt at paying one thing that the payer has not put aside. */
export async function latestAttempt(
  db: Db,
  tenant: Tenant,
  purpose: string,
  id: number,
): Promise<Attempt | undefined> {
  const attempts = await selectAttempts(db, tenant, purpose, id)
  const transaction = attempts.find((attempt) => attempt.dismissed_at === null)
  return transaction && withWay(db, tenant, transaction)
}

/** The attempt with this id; undefined when there is none. */
export async function attemptOf(db: Db, tenant: Tenant, id: number): Promise<Attempt | undefined> {
  const transaction = await selectById(db, tenant, id)
  return transaction && withWay(db, tenant, transaction)
}

async function withWay(db: Db, tenant: Tenant, transaction: TransactionRow): Promise<Attempt> {
  return {
    transaction,
    account: await selectAccountOf(db, tenant, transaction.id),
    ussdCodes: transaction.ussd_codes ? JSON.parse(transaction.ussd_codes) : [],
  }
}

/** Whether a provider was told of it: until then nobody can pay it. */
export const isTold = ({ provider }: Pick<TransactionRow, 'provider'>): boolean =>
  provider !== UNTOLD

/** What was received for each of several things, in the order of arrival. */
export async function receivedFor(
  db: Db,
  tenant: Tenant,
  purpose: string,
  of: number[],
): Promise<Map<number, TransactionRow[]>> {
  const rows = of.length === 0 ? [] : await selectReceived(db, tenant, purpose, of)
  return Map.groupBy(rows, ({ purpose_id }) => purpose_id)
}

/** By its reference; undefined when there is none. */
export const findTransaction = (db: Db, tenant: Tenant, reference: string) =>
  selectByReference(db, tenant, reference)
