/** What `/console/overview` says; null is what the role does not see. */
export interface OverviewData {
  currency: string
  /** Every day of the period, in order. */
  days: string[]
  volume: { amount: number; before: { amount: number } } | null
  count: Compared | null
  successRate: { value: number | null; before: number | null } | null
  balance: { amount: number; before: { amount: number } } | null
  series: DayOfChannel[] | null
  activity: Activity[]
  setUp: { step: string; done: boolean }[]
}

interface Compared {
  value: number
  before: number
}

export interface DayOfChannel {
  day: string
  channel: string
  count: number
  amount: number
}

export interface Activity {
  id: string
  type: string
  reference: string | null
  /** The customer, or whoever gets money. */
  who: string | null
  /** What people call it: the number of an invoice, the name of a product. */
  about: string | null
  amount: number | null
  currency: string | null
  status: string | null
  path: string
  at: string
}
