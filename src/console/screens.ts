/**
 * Which screen of the dashboard shows a record, by what its events call it, and what a role must be
 * allowed for it (dashboard/src/screens/routes.ts).
 */
export const SCREENS: Record<string, { path: string; scope: string }> = {
  transaction: { path: 'payments', scope: 'transactions:read' },
  invoice: { path: 'invoices', scope: 'invoices:read' },
  payment_page: { path: 'pages', scope: 'payment_pages:read' },
  product: { path: 'products', scope: 'products:read' },
  order: { path: 'orders', scope: 'orders:read' },
  discount: { path: 'discounts', scope: 'discounts:read' },
  transfer: { path: 'transfers', scope: 'transfers:read' },
  refund: { path: 'refunds', scope: 'refunds:read' },
  subaccount: { path: 'subaccounts', scope: 'subaccounts:read' },
  split_page: { path: 'splits', scope: 'split_pages:read' },
  settlement: { path: 'settlements', scope: 'settlements:read' },
  utility_payment: { path: 'utility', scope: 'utility:read' },
  webhook: { path: 'webhooks', scope: 'webhooks:read' },
}
