import { isCurrency } from '../../lib/money.ts'
import type { Refusal } from '../connector/api.ts'
import type { Accounts, Balance, Call, ProviderBank } from '../connector/http-connector.ts'
import type { Json } from '../connector/json.ts'
import type { ListedBank, Outcome } from '../connector/types.ts'
import { pageOf, send } from './api.ts'

export const accounts: Accounts = { banks, resolveAccount }

/** The whole list, which says nothing about NIP codes. */
function banks(call: Call): Promise<Outcome<readonly ListedBank[]>> {
  return send(call, { operation: 'GET /banks/{country}', params: { country: 'NG' } }, (body) => {
    const page = pageOf(body, null, listedBank)
    return page && { kind: 'done', value: page.rows }
  })
}

function listedBank(row: Json): ListedBank | undefined {
  const code = row.text('code')
  const name = row.text('name')
  if (!code || !name) return undefined
  return { code, id: row.text('id') ?? null, name, nipCode: null, isActive: true }
}

const UNRESOLVED: readonly Refusal[] = [
  [
    /\baccount\b.*\b(?:not be (?:validated|resolved)|not found|invalid)\b|\binvalid account\b/i,
    { kind: 'refused', code: 'unknown_account' },
  ],
]

function resolveAccount(
  call: Call,
  { bank, accountNumber }: { bank: ProviderBank; accountNumber: string },
): Promise<Outcome<{ accountName: string }>> {
  const body = { account_number: accountNumber, account_bank: bank.code }
  return send(
    call,
    { operation: 'POST /accounts/resolve', body, isSafeToRepeat: true },
    (response) => {
      const accountName = response.text('data', 'account_name')
      return accountName ? { kind: 'done', value: { accountName } } : undefined
    },
    UNRESOLVED,
  )
}

/**
 * What payments bring is pending until it is settled, to the available balance or to a bank. An
 * account can have balances in currencies without an ISO 4217 code, which ours never are.
 */
export function balances(call: Call): Promise<Outcome<readonly Balance[]>> {
  return send(call, { operation: 'GET /balances' }, (body) => {
    const found = pageOf(body, null, (row) => {
      const currency = row.text('currency')
      if (!currency) return undefined
      if (!isCurrency(currency)) return null
      const available_minor = row.major(currency, 'available_balance')
      if (available_minor === undefined) return undefined
      const pending_minor = row.major(currency, 'ledger_balance') ?? null
      return { currency, available_minor, pending_minor }
    })
    return found && { kind: 'done', value: found.rows.filter((row) => row !== null) }
  })
}
