export interface CustomerLine {
  email: string
  name: string | null
  phone: string | null
  payments: number
  invoices: number
  orders: number
  paid: number
  currency: string
  firstAt: string
  lastAt: string
}

export interface Done {
  reference: string
  /** Of an invoice, as people call it. */
  number: string | null
  status: string
  channel: string | null
  amount: number
  currency: string
  createdAt: string
}

/** Null is what the role does not see. */
export interface CustomerRecord extends CustomerLine {
  lastPayments: Done[] | null
  lastInvoices: Done[] | null
  lastOrders: Done[] | null
}
