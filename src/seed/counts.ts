import { OVERDUE_STEP } from '../sales/invoices/reminders.ts'
import type { Story } from './story.ts'

/** How many, by their states or types; `all` of them together. */
type Tally = { all: number } & Record<string, number>

/** What was made. */
export interface Counts {
  invoices: Tally
  /** Of the invoices that are Sent or PartiallyPaid. */
  overdue: number
  transactions: Tally
  /** Payments of what was paid already. */
  overpayments: number
  mails: Tally
  events: { all: number }
  journals: { all: number }
  /** In all tables. */
  rowsWritten: number
}

export const nothing = (): Counts => ({
  invoices: { all: 0 },
  overdue: 0,
  transactions: { all: 0 },
  overpayments: 0,
  mails: { all: 0 },
  events: { all: 0 },
  journals: { all: 0 },
  rowsWritten: 0,
})

export function addStories(counts: Counts, stories: readonly Story[]): void {
  for (const story of stories) {
    const { invoice, transactions, accounts, deposits, mails, events, settled } = story
    count(counts.invoices, invoice.status)
    if (isOverdue(story)) counts.overdue += 1
    for (const { status, excess_minor } of transactions) {
      count(counts.transactions, status)
      if (excess_minor > 0n) counts.overpayments += 1
    }
    for (const { status } of mails) count(counts.mails, status)
    const funded = settled.filter(({ funded_minor }) => funded_minor > 0n).length
    const transfers = settled
      .flatMap(({ journal }) => journal.moves)
      .filter(({ amount_minor }) => amount_minor > 0n).length
    counts.events.all += events.length + funded
    counts.journals.all += settled.length
    const beside = 2 * transactions.length + accounts.length + deposits.length + mails.length
    // Search texts and, for a journal, its place in the queue of the seals are rows as well.
    counts.rowsWritten += 2 + beside + events.length + funded + 2 * settled.length + transfers
  }
}

function count(tally: Tally, state: string): void {
  tally.all += 1
  tally[state] = (tally[state] ?? 0) + 1
}

const isOverdue = ({ invoice: { status, next_step } }: Story): boolean =>
  (status === 'Sent' || status === 'PartiallyPaid') && (next_step ?? 0) > OVERDUE_STEP
