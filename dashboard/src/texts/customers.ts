export const t = {
  customers: 'Customers',
  newInvoice: 'New invoice',
  paid: 'Paid',
  payments: 'Payments',
  firstSeen: 'First seen',
  lastSeen: 'Last seen',
  invoices: 'Invoices',
  orders: 'Orders',
  noYet: (value: string | number) => `No ${value} yet.`,
  amount: 'Amount',
  paidBy: 'Paid by',
  reference: 'Reference',
  when: 'When',
  customer: 'Customer',
  noCustomersYet: 'No customers yet',
  everybodyWhoPaysOrdersOr:
    'Everybody who pays, orders or gets an invoice appears here, by their e-mail address.',
  everybodyInYourNewest:
    'Everybody in your newest 5,000 payments, invoices and orders. Search to find earlier ones.',
} as const
