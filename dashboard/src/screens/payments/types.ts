/** What the screens show of a transaction (get_transaction). */
export interface Payment {
  reference: string
  status: string
  amount: number
  currency: string
  channel: string | null
  customerName: string | null
  customerEmail: string | null
  createdAt: string
}
