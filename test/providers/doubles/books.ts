/** What really happened at a provider: every movement of money, whatever it told anyone. */
export interface Books {
  /** Writes an entry. `amount_minor` is what it adds to the balance; negative if it takes. */
  enter(entry: Omit<Entry, 'id' | 'at'>): Entry
  /**
   * Notes that an order moved money. A second call for the same reference means that an order was
   * executed twice, which the double reports as a problem.
   */
  execute(reference: string): void
  balance_minor(currency: string): bigint
  entries: readonly Entry[]
  executed: ReadonlyMap<string, number>
}

export interface Entry {
  id: number
  kind:
    | 'charge'
    | 'payout'
    | 'refund'
    | 'bill'
    | 'dispute'
    | 'settlement'
    | 'reversal'
    | 'fee'
    | 'topup'
  /** The reference of the order, as it was sent to the provider. */
  reference: string | null
  providerId: string
  amount_minor: bigint
  currency: string
  at: Date
}

export function openBooks(now: () => Date): Books {
  const entries: Entry[] = []
  const executed = new Map<string, number>()
  return {
    enter(entry) {
      const entered = { ...entry, id: entries.length + 1, at: now() }
      entries.push(entered)
      return entered
    },
    execute: (reference) => void executed.set(reference, (executed.get(reference) ?? 0) + 1),
    balance_minor: (currency) =>
      entries
        .filter((entry) => entry.currency === currency)
        .reduce((sum, { amount_minor }) => sum + amount_minor, 0n),
    entries,
    executed,
  }
}
