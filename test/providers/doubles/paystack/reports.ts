import type { Entry } from '../books.ts'
import type { DoubleRequest } from '../double.ts'
import {
  type Account,
  domainOf,
  INTEGRATION,
  isoOf,
  isWithin,
  listAnswer,
  ok,
  plainRefusal,
  type Settings,
  type Settlement,
  type Transaction,
} from './account.ts'
import { transactionJson } from './charges.ts'

/** The balance, its ledger, and what was paid out to the business's bank. */
export function reportOperations(account: Account) {
  const { kit } = account
  return {
    'GET /balance': () =>
      ok('Balances retrieved', [{ currency: 'NGN', balance: kit.books.balance_minor('NGN') }]),
    'GET /balance/ledger': (request: DoubleRequest) => {
      const rows = ledgerOf(account).filter(({ entry }) => isWithin(entry.at, request))
      return listAnswer(
        account,
        'Balance ledger retrieved',
        rows.reverse(),
        request,
        ({ row }) => row,
      )
    },
    'GET /settlement': (request: DoubleRequest) => {
      const { subaccount } = request.query
      const rows = account.settlements
        .filter((one) => !account.settings.filtersSettlements || isWithin(one.createdAt, request))
        .filter((one) => !subaccount || (one.subaccount ?? 'none') === subaccount)
      const toJson = (one: Settlement) => settlementJson(account, one)
      return listAnswer(account, 'Settlements retrieved', rows.reverse(), request, toJson)
    },
    'GET /settlement/{id}/transactions': (request: DoubleRequest) => {
      const { settlements, transactions } = account
      const found = settlements.find(({ id }) => `${id}` === request.params.id)
      if (!found) return plainRefusal(404, 'Settlement not found')
      const rows = transactions.filter(({ settlement }) => settlement === found)
      const toJson = (one: Transaction) => transactionJson(account, one)
      return listAnswer(account, 'Transactions retrieved', rows, request, toJson)
    },
  }
}

const RESPONSIBLE: Readonly<Record<Entry['kind'], string>> = {
  charge: 'Transaction',
  fee: 'Transaction',
  payout: 'Transfer',
  reversal: 'Transfer',
  refund: 'Refund',
  bill: 'Transfer',
  dispute: 'Dispute',
  settlement: 'Settlement',
  topup: 'TopUp',
}

/** One row for a movement and its fee, with the balance after it, oldest first. */
function ledgerOf(account: Account) {
  let balance = 0n
  const responsible = ({ kind, providerId }: Entry) =>
    kind === 'reversal' && account.refunds.some(({ id }) => `${id}` === providerId)
      ? 'Refund'
      : RESPONSIBLE[kind]
  const rows: { entry: Entry; difference: bigint }[] = []
  for (const entry of account.kit.books.entries) {
    const last = rows.at(-1)
    if (entry.kind === 'fee' && last?.entry.providerId === entry.providerId) {
      last.difference += entry.amount_minor
    } else rows.push({ entry, difference: entry.amount_minor })
  }
  return rows.map(({ entry, difference }) => {
    balance += difference
    const { kind, providerId, currency, id, at } = entry
    const row = {
      integration: INTEGRATION,
      domain: domainOf(account),
      balance,
      currency,
      difference,
      reason: kind,
      model_responsible: responsible(entry),
      model_row: BigInt(providerId),
      id,
      createdAt: isoOf(at),
      updatedAt: isoOf(at),
    }
    return { entry, row }
  })
}

function settlementJson(account: Account, settlement: Settlement) {
  const { id, processed, fees, paid, at, createdAt } = settlement
  const deductions = processed - fees - paid
  return {
    id,
    domain: domainOf(account),
    status: 'success',
    currency: 'NGN',
    integration: INTEGRATION,
    total_amount: paid,
    effective_amount: paid,
    total_fees: fees,
    total_processed: processed,
    deductions: deductions === 0n ? null : deductions,
    settlement_date: isoOf(at),
    settled_by: null,
    createdAt: isoOf(createdAt),
    updatedAt: isoOf(createdAt),
  }
}

export function ownerOf(account: Account) {
  const { kit, settings } = account
  let keys = 1
  const enter = (kind: 'settlement' | 'topup', amount_minor: bigint) => {
    const id = kit.nextId()
    const entry = { reference: null, providerId: `${id}`, currency: 'NGN', kind, amount_minor }
    kit.books.enter(entry)
    return id
  }
  return {
    /**
     * Pays the whole balance to the business's bank, as Paystack does every working day. The
     * settlement can have been made before.
     */
    settleToBank(times: { at?: Date; createdAt?: Date } = {}): void {
      const paid = kit.books.balance_minor('NGN')
      if (paid <= 0n) return
      const settled = account.transactions.filter((one) => one.paidAt && !one.settlement)
      const settlement: Settlement = {
        id: enter('settlement', -paid),
        subaccount: null,
        processed: settled.reduce((sum, one) => sum + one.paid, 0n),
        fees: settled.reduce((sum, one) => sum + one.fees!, 0n),
        paid,
        at: kit.clock.now(),
        createdAt: kit.clock.now(),
        ...times,
      }
      account.settlements.push(settlement)
      for (const transaction of settled) transaction.settlement = settlement
    },
    /** Pays a subaccount's share of a payment that another application of the business took. */
    settleSubaccount(subaccount: string, paid: bigint): void {
      const at = kit.clock.now()
      const settlement = { id: kit.nextId(), subaccount, processed: paid, fees: 0n, paid }
      account.settlements.push({ ...settlement, at, createdAt: at })
    },
    topUp: (amount_minor: bigint) => void enter('topup', amount_minor),
    /** Makes a new secret key, which also signs all notices from now on. */
    rotateKey(): string {
      settings.secretKey = `sk_${domainOf(account)}_rotated${++keys}`
      return settings.secretKey
    },
    allowAddress(address: string | null): void {
      settings.address = address
    },
    setOtp(isOn: boolean): void {
      settings.hasOtp = isOn
    },
    setStarter(isOn: boolean): void {
      settings.isStarter = isOn
    },
    /** Changes what lists show. */
    set(changed: Partial<Pick<Settings, 'countsPages' | 'filtersSettlements'>>): void {
      Object.assign(settings, changed)
    },
  }
}
