import type { Tx } from '../../db/database.ts'
import { isUniqueViolation } from '../../db/failures.ts'
import { appendEvents } from '../../events/append.ts'
import { parsePercentage } from '../../lib/percent.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import type { Caller } from '../../lib/tenant.ts'
import type { Deps } from '../deps.ts'
import { type Asked, bankNamed, holderOf } from './account.ts'
import { keepSearchable } from './create.ts'
import {
  ACCOUNT_INDEX,
  type Content,
  lockSubaccount,
  type SubaccountRow,
  updateSubaccount,
} from './queries.ts'
import { subaccountRecord } from './record.ts'
import type { UpdateSubaccount } from './schemas.ts'
import { accountTaken, type EventType, eventsOf } from './service.ts'

const COLUMNS: readonly (keyof Content)[] = [
  'status',
  'business_name',
  'bank_code',
  'bank_name',
  'account_number',
  'account_name',
  'verified',
  'charge_basis_points',
]

/**
 * Changes the fields that are given; null clears an optional one. Throws HolderUnasked until whose
 * account a new one is has been asked. To give what it has already is no change and no event, but
 * has the bank asked again of an account that is not verified.
 */
export async function changeSubaccount(
  tx: Tx,
  ids: Deps['ids'],
  caller: Caller,
  reference: string,
  request: UpdateSubaccount,
  asked?: Asked,
) {
  const row = await lockSubaccount(tx, caller, reference)
  if (!row) throw notFound('subaccount')
  if (request.currency !== undefined && request.currency !== row.currency) {
    const text = `The currency of a subaccount cannot change: it is ${row.currency}.`
    throw conflict('currency_fixed', text, { currency: [`cannot change: it is ${row.currency}`] })
  }
  const wanted = contentOf(row, request, asked)
  if (COLUMNS.every((column) => row[column] === wanted[column])) return subaccountRecord(row)

  const types: EventType[] = ['subaccount.updated']
  if (isNewlyVerified(row, wanted)) types.push('account.verified')
  const updated = await write(tx, caller, row, wanted, types.length)
  await keepSearchable(tx, updated)
  await appendEvents(tx, ids, eventsOf(updated, types, caller.now))
  return subaccountRecord(updated)
}

async function write(
  tx: Tx,
  caller: Caller,
  { id }: SubaccountRow,
  content: Content,
  events: number,
): Promise<SubaccountRow> {
  try {
    return await updateSubaccount(tx, caller, id, content, events, caller.now)
  } catch (error) {
    throw isUniqueViolation(error, ACCOUNT_INDEX) ? accountTaken() : error
  }
}

function contentOf(row: SubaccountRow, request: UpdateSubaccount, asked?: Asked): Content {
  const { business_name, percentage_charge, active } = request
  return {
    status: active === undefined ? row.status : active ? 'Active' : 'Inactive',
    business_name: business_name ?? row.business_name,
    charge_basis_points:
      percentage_charge === undefined
        ? row.charge_basis_points
        : parsePercentage(percentage_charge, 'percentage_charge'),
    ...accountOf(row, request, asked),
  }
}

type AccountContent = Omit<Content, 'status' | 'business_name' | 'charge_basis_points'>

/** Another account goes by the name that its bank says, unless one is given with it. */
function accountOf(row: SubaccountRow, request: UpdateSubaccount, asked?: Asked): AccountContent {
  const { bank: wanted, account_number = row.account_number, account_name: given } = request
  const bank = wanted === undefined || wanted === null ? undefined : bankNamed(wanted)
  const bank_code = wanted === undefined ? row.bank_code : (bank?.code ?? null)
  const bank_name = wanted === undefined ? row.bank_name : (bank?.name ?? null)
  const isOther = bank_code !== row.bank_code || account_number !== row.account_number
  const name = given === undefined && !isOther ? row.account_name : (given ?? null)
  const account = { bank_code, bank_name, account_number }

  if (bank_code === null) {
    const kept = given === undefined ? row.account_name : name
    return { ...account, account_name: kept, verified: false }
  }
  const isNamed = wanted !== undefined || request.account_number !== undefined
  const isToBeAsked = isOther || name !== row.account_name || (isNamed && !row.verified)
  if (!isToBeAsked) return { ...account, account_name: name, verified: row.verified }
  return {
    ...account,
    ...holderOf({ bankCode: bank_code, accountNumber: account_number }, name, asked),
  }
}

const isNewlyVerified = (row: SubaccountRow, wanted: Content): boolean =>
  wanted.verified &&
  (!row.verified ||
    row.bank_code !== wanted.bank_code ||
    row.account_number !== wanted.account_number)
