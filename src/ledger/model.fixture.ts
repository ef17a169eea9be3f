import type { Minor } from '../lib/money.ts'

/**
 * A simple model of what the ledger should do: balances in a map and nothing else. The property
 * test runs it alongside the real ledger.
 */
export type Operation = {
  /** The index of the tenant. */
  tenant: number
  currency: string
  /** The id of the cause. Only a few values are used, so that causes repeat. */
  id: number
  amount_minor: Minor
} & (
  | { op: 'fund' | 'overpay' | 'refund' | 'share' | 'settle' | 'hold' | 'post' | 'void' }
  | { op: 'charge'; fee_minor: Minor }
)

export type Outcome = 'done' | 'already_posted' | 'hold_ended' | 'insufficient_balance' | 'not_held'

type Account = 'available' | 'held' | 'refunds' | 'fees' | 'subaccounts' | 'provider'

export class Model {
  readonly #balances = new Map<string, Minor>()
  readonly #posted = new Set<string>()
  readonly #holds = new Map<string, { currency: string; amount_minor: Minor }>()
  journals = 0

  balance(tenant: number, currency: string, account: Account): Minor {
    return this.#balances.get(`${tenant} ${currency} ${account}`) ?? 0n
  }

  apply(operation: Operation): Outcome {
    const { op, tenant, id } = operation
    const hold = this.#holds.get(`${tenant} ${id}`)
    if ((op === 'post' || op === 'void') && !hold) return 'not_held'

    const isPosted = (verb: string) => this.#posted.has(`${tenant} ${verb} ${id}`)
    if (isPosted(op)) return 'already_posted'
    if ((op === 'post' && isPosted('void')) || (op === 'void' && isPosted('post'))) {
      return 'hold_ended'
    }
    if (!this.#move(operation, hold)) return 'insufficient_balance'
    this.#posted.add(`${tenant} ${op} ${id}`)
    this.journals += 1
    return 'done'
  }

  #move(operation: Operation, hold?: { currency: string; amount_minor: Minor }): boolean {
    const { op, tenant, id, currency, amount_minor } = operation
    const move = (from: Account, to: Account, minor = amount_minor, of = currency) => {
      const left = this.balance(tenant, of, from) - minor
      if (left < 0n && from !== 'provider') return false
      this.#balances.set(`${tenant} ${of} ${from}`, left)
      this.#balances.set(`${tenant} ${of} ${to}`, this.balance(tenant, of, to) + minor)
      return true
    }
    switch (op) {
      case 'fund':
        return move('provider', 'available')
      case 'charge':
        move('provider', 'fees', operation.fee_minor)
        return move('provider', 'available', amount_minor - operation.fee_minor)
      case 'overpay':
        return move('provider', 'refunds')
      case 'refund':
        return move('refunds', 'provider')
      case 'share':
        return move('provider', 'subaccounts')
      case 'settle':
        return move('subaccounts', 'provider')
      case 'hold':
        if (!move('available', 'held')) return false
        this.#holds.set(`${tenant} ${id}`, { currency, amount_minor })
        return true
      case 'post':
        return move('held', 'provider', hold!.amount_minor, hold!.currency)
      case 'void':
        return move('held', 'available', hold!.amount_minor, hold!.currency)
    }
  }
}
