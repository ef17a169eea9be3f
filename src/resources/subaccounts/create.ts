import type { Tx } from '../../db/database.ts'
import { keepTexts } from '../../db/texts.ts'
import { appendEvents } from '../../events/append.ts'
import { noteRow } from '../../ledger/watched.ts'
import { parsePercentage } from '../../lib/percent.ts'
import { newReference } from '../../lib/random.ts'
import type { Caller } from '../../lib/tenant.ts'
import { requireCarried } from '../../providers/currencies.ts'
import { bankNamed } from '../banks/named.ts'
import type { Deps } from '../deps.ts'
import { type Asked, holderOf, NO_HOLDER } from './account.ts'
import { insertSubaccount, isAccountTaken, type SubaccountRow } from './queries.ts'
import { subaccountRecord } from './record.ts'
import type { NewSubaccount } from './schemas.ts'
import { accountTaken, type EventType, eventsOf, KIND } from './service.ts'
import { watchedSubaccounts } from './watched.ts'

/**
 * Creates a subaccount. With a bank, throws HolderUnasked until whose account it is has been asked;
 * that the bank refused or did not answer is no error: it is created unverified. Throws 400 for an
 * account that another one has.
 */
export async function createSubaccount(
  tx: Tx,
  ids: Deps['ids'],
  caller: Caller,
  request: NewSubaccount,
  asked?: Asked,
) {
  const account = accountColumns(request)
  if (account.bank_code !== null && (await isAccountTaken(tx, caller, account))) {
    throw accountTaken()
  }
  const given = request.account_name ?? null
  const { bank_code, account_number } = account
  const holder =
    bank_code === null
      ? { account_name: given, ...NO_HOLDER }
      : holderOf({ bankCode: bank_code, accountNumber: account_number }, given, caller.now, asked)
  const types: EventType[] = ['subaccount.created']
  if (holder.verified) types.push('account.verified')
  if (holder.payouts_blocked) types.push('settlement.blocked')
  const row = await insertSubaccount(tx, {
    ...rowOf(await ids.next(tx), caller, request),
    ...account,
    ...holder,
    had_account: bank_code !== null,
    payouts_paused_until: null,
    event_sequence: types.length,
  })
  // Of two at once with the same account, one.
  if (!row) throw accountTaken()
  await keepSearchable(tx, row)
  await noteRow(tx, watchedSubaccounts, caller, row.id)
  await appendEvents(tx, ids, eventsOf(row, types, caller.now))
  return subaccountRecord(row)
}

type AccountColumns = Pick<SubaccountRow, 'bank_code' | 'bank_name' | 'account_number'>

function accountColumns({ bank, account_number }: NewSubaccount): AccountColumns {
  const known = bank === undefined ? undefined : bankNamed(bank, 'bank')
  return { bank_code: known?.code ?? null, bank_name: known?.name ?? null, account_number }
}

function rowOf(id: number, { businessId, live, now }: Caller, request: NewSubaccount) {
  const { business_name, percentage_charge, currency } = request
  requireCarried(currency)
  return {
    business_id: businessId,
    live,
    id,
    reference: newReference('ACCT'),
    status: 'Active' as const,
    business_name,
    charge_basis_points: parsePercentage(percentage_charge, 'percentage_charge'),
    currency,
    created_at: now,
    updated_at: now,
  }
}

/** By what a search finds it. */
export const keepSearchable = (tx: Tx, row: SubaccountRow) =>
  keepTexts(tx, { businessId: row.business_id, live: row.live }, KIND, row.id, [
    row.business_name,
    row.account_number,
    row.reference,
  ])
