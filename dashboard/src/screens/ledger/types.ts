/** An account of the books; of whom, where it is a subaccount's. */
export interface Account {
  kind: string
  subaccount: { code: string; name: string } | null
}

export interface Balance {
  currency: string
  balance: number
  balanceMinor: number
}

/** One movement: what left one account, and came into another. */
export interface Move {
  id: number
  reference: string
  kind: string
  amount: number
  amountMinor: number
  currency: string
  from: Account
  to: Account
  cause: { type: string; id: number; reference: string | null; name: string | null }
  createdAt: string
}

/** As the list has it: which way it went at the chosen account, and what that had afterwards. */
export interface ListedMove extends Move {
  direction: 'in' | 'out' | null
  balance: number | null
}

export interface Accounts {
  accounts: ({ kind: string; count: number } & Balance)[]
  subaccounts: (Account & Balance)[]
}

/** One movement with all that was posted with it. */
export interface Entry extends Move {
  verb: string
  sealed: { number: number; at: string } | null
  moves: Move[]
  /** What all of them come to, on either side. */
  total: number
  sums: {
    account: Account
    debit: number
    debitMinor: number
    credit: number
    creditMinor: number
  }[]
  steps: { reference: string; verb: string; createdAt: string; isThis: boolean }[]
}
