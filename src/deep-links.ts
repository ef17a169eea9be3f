interface ShownBy {
  path: string
  by?: 'reference' | 'id'
  scope: string
}

/**
 * The dashboard screen for each object type in events (dashboard/src/app/routes.tsx): its path, the
 * field in its URL if the record has its own screen, and the scope that it requires.
 */
export const SCREENS: Record<string, ShownBy> = {
  transaction: { path: 'payments', by: 'reference', scope: 'transactions:read' },
  deposit: { path: 'deposits', by: 'reference', scope: 'transactions:read' },
  virtual_account: { path: 'virtual-accounts', by: 'id', scope: 'transactions:read' },
  invoice: { path: 'invoices', by: 'reference', scope: 'invoices:read' },
  payment_page: { path: 'pages', by: 'id', scope: 'payment_pages:read' },
  product: { path: 'products', by: 'id', scope: 'products:read' },
  order: { path: 'orders', by: 'reference', scope: 'orders:read' },
  discount: { path: 'discounts', scope: 'discounts:read' },
  transfer: { path: 'transfers', by: 'reference', scope: 'transfers:read' },
  refund: { path: 'refunds', by: 'reference', scope: 'refunds:read' },
  dispute: { path: 'disputes', by: 'reference', scope: 'disputes:read' },
  subaccount: { path: 'subaccounts', by: 'reference', scope: 'subaccounts:read' },
  split_page: { path: 'splits', by: 'id', scope: 'split_pages:read' },
  settlement: { path: 'settlements', by: 'reference', scope: 'settlements:read' },
  utility_payment: { path: 'utility', by: 'reference', scope: 'utility:read' },
  webhook: { path: 'webhooks', by: 'reference', scope: 'webhooks:read' },
}

/** The same records, plus others that can be searched but have no events. */
export const SEARCH_SCREENS: Record<string, ShownBy> = {
  ...SCREENS,
  api_key: { path: 'keys', scope: 'keys:read' },
  checkout: { path: 'checkouts', by: 'reference', scope: 'checkout:read' },
}

/** Returns a record's path within its mode, or its list's path if it has no screen. */
export function pathOf(type: string, record: { id: number; reference: string | null }): string {
  const { path, by } = SEARCH_SCREENS[type]!
  const name = by && record[by]
  return name ? `${path}/${encodeURIComponent(name)}` : path
}
