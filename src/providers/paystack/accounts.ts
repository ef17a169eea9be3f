import type { Refusal } from '../connector/api.ts'
import type { Accounts, Balance, Call, ProviderBank } from '../connector/http-connector.ts'
import type { Json } from '../connector/json.ts'
import type { ListedBank, Outcome } from '../connector/types.ts'
import { rowsOf, send } from './api.ts'

export const accounts: Accounts = { banks, resolveAccount }

/** More than Nigeria has banks, so that a cursor that never ends does not keep us. */
const PAGES_MAX = 20

async function banks(call: Call): Promise<Outcome<readonly ListedBank[]>> {
  const all: ListedBank[] = []
  let cursor: string | undefined
  for (let page = 1; page <= PAGES_MAX; page++) {
    const outcome = await bankPage(call, cursor)
    if (outcome.kind !== 'done') return outcome
    all.push(...outcome.value.banks)
    cursor = outcome.value.next
    if (cursor === undefined) return { kind: 'done', value: all }
  }
  return { kind: 'unknown', reason: 'unreadable', message: 'The list of banks does not end.' }
}

function bankPage(
  call: Call,
  cursor: string | undefined,
): Promise<Outcome<{ banks: ListedBank[]; next: string | undefined }>> {
  const query = {
    country: 'nigeria',
    currency: 'NGN',
    perPage: '100',
    use_cursor: 'true',
    include_nip_sort_code: 'true',
    ...(cursor !== undefined && { next: cursor }),
  }
  return send(call, { operation: 'GET /bank', query }, (body) => {
    const found = rowsOf(call, body, listedBank)
    const next = body.text('meta', 'next')
    return found && { kind: 'done', value: { banks: found, next: next || undefined } }
  })
}

function listedBank(row: Json): ListedBank | undefined {
  const code = row.text('code')
  const name = row.text('name')
  if (!code || !name) return undefined
  const isActive = row.flag('active') === true && row.flag('is_deleted') !== true
  const nipCode = row.text('nip_sort_code') || null
  return { code, id: row.text('id') ?? null, name, nipCode, isActive }
}

const UNRESOLVED: readonly Refusal[] = [
  [/\bunknown bank code\b/i, { kind: 'refused', code: 'unknown_bank' }],
  [/\bcould not resolve account\b/i, { kind: 'refused', code: 'unknown_account' }],
  // Test keys may ask about a few real accounts a day.
  [/\bdaily limit\b/i, { kind: 'notNow', code: 'limit_reached' }],
]

function resolveAccount(
  call: Call,
  { bank, accountNumber }: { bank: ProviderBank; accountNumber: string },
): Promise<Outcome<{ accountName: string }>> {
  const query = { account_number: accountNumber, bank_code: bank.code }
  return send(
    call,
    { operation: 'GET /bank/resolve', query },
    (body) => {
      const accountName = body.text('data', 'account_name')
      return accountName ? { kind: 'done', value: { accountName } } : undefined
    },
    UNRESOLVED,
  )
}

export function balances(call: Call): Promise<Outcome<readonly Balance[]>> {
  return send(call, { operation: 'GET /balance' }, (body) => {
    const found = rowsOf(call, body, (row) => {
      const currency = row.text('currency')
      const available_minor = row.minor('balance')
      if (!currency || available_minor === undefined) return undefined
      return { currency, available_minor, pending_minor: null }
    })
    return found && { kind: 'done', value: found }
  })
}
