/**
 * Every screen: its path below the mode, the file that is loaded when it is first opened, and the
 * component in it. A new screen is a line here, and in shell/screens.ts if the navigation leads to it.
 */
export const SCREEN_ROUTES: {
  path: string
  load: () => Promise<Record<string, React.ComponentType>>
  name: string
}[] = [
  { path: 'overview', load: () => import('./overview/Overview.tsx'), name: 'Overview' },
  { path: 'customers', load: () => import('./customers/Customers.tsx'), name: 'Customers' },
  { path: 'customers/$email', load: () => import('./customers/Customer.tsx'), name: 'Customer' },
  { path: 'keys', load: () => import('./keys/Keys.tsx'), name: 'Keys' },
  { path: 'mailbox', load: () => import('./mailbox/Mailbox.tsx'), name: 'Mailbox' },
  { path: 'mailbox/$id', load: () => import('./mailbox/Mail.tsx'), name: 'Mail' },
  { path: 'payments', load: () => import('./payments/Payments.tsx'), name: 'Payments' },
  { path: 'payments/$reference', load: () => import('./payments/Payment.tsx'), name: 'Payment' },
  { path: 'wallet', load: () => import('./wallet/Wallet.tsx'), name: 'Wallet' },
  { path: 'transfers', load: () => import('./transfers/Transfers.tsx'), name: 'Transfers' },
  { path: 'transfers/new', load: () => import('./transfers/NewTransfer.tsx'), name: 'NewTransfer' },
  {
    path: 'transfers/$reference',
    load: () => import('./transfers/Transfer.tsx'),
    name: 'Transfer',
  },
  { path: 'invoices', load: () => import('./invoices/Invoices.tsx'), name: 'Invoices' },
  { path: 'invoices/new', load: () => import('./invoices/InvoiceForm.tsx'), name: 'NewInvoice' },
  { path: 'invoices/$reference', load: () => import('./invoices/Invoice.tsx'), name: 'Invoice' },
  {
    path: 'invoices/$reference/edit',
    load: () => import('./invoices/InvoiceForm.tsx'),
    name: 'EditInvoice',
  },
  { path: 'pages', load: () => import('./pages/Pages.tsx'), name: 'Pages' },
  { path: 'pages/new', load: () => import('./pages/PageForm.tsx'), name: 'NewPage' },
  { path: 'pages/$id', load: () => import('./pages/Page.tsx'), name: 'Page' },
  { path: 'pages/$id/edit', load: () => import('./pages/PageForm.tsx'), name: 'EditPage' },
  { path: 'products', load: () => import('./products/Products.tsx'), name: 'Products' },
  { path: 'products/new', load: () => import('./products/ProductForm.tsx'), name: 'NewProduct' },
  { path: 'products/$id', load: () => import('./products/Product.tsx'), name: 'Product' },
  {
    path: 'products/$id/edit',
    load: () => import('./products/ProductForm.tsx'),
    name: 'EditProduct',
  },
  { path: 'orders', load: () => import('./orders/Orders.tsx'), name: 'Orders' },
  { path: 'orders/$reference', load: () => import('./orders/Order.tsx'), name: 'Order' },
  { path: 'discounts', load: () => import('./discounts/Discounts.tsx'), name: 'Discounts' },
  { path: 'delivery', load: () => import('./delivery/Delivery.tsx'), name: 'Delivery' },
  { path: 'webhooks', load: () => import('./webhooks/Webhooks.tsx'), name: 'Webhooks' },
  { path: 'webhooks/$reference', load: () => import('./webhooks/Webhook.tsx'), name: 'Webhook' },
  {
    path: 'webhooks/$reference/deliveries/$id',
    load: () => import('./webhooks/Delivery.tsx'),
    name: 'Delivery',
  },
  { path: 'events', load: () => import('./events/Events.tsx'), name: 'Events' },
  { path: 'events/$id', load: () => import('./events/Event.tsx'), name: 'Event' },
  { path: 'requests', load: () => import('./requests/Requests.tsx'), name: 'Requests' },
  { path: 'requests/$requestId', load: () => import('./requests/Request.tsx'), name: 'Request' },
  { path: 'partners', load: () => import('./partners/Partners.tsx'), name: 'Partners' },
  { path: 'settings', load: () => import('./settings/Settings.tsx'), name: 'Settings' },
  { path: 'security', load: () => import('./security/Security.tsx'), name: 'Security' },
  { path: 'team', load: () => import('./team/Team.tsx'), name: 'Team' },
  { path: 'audit', load: () => import('./audit/AuditLog.tsx'), name: 'AuditLog' },
  { path: 'refunds', load: () => import('./refunds/Refunds.tsx'), name: 'Refunds' },
  { path: 'refunds/$reference', load: () => import('./refunds/Refund.tsx'), name: 'Refund' },
  { path: 'subaccounts', load: () => import('./subaccounts/Subaccounts.tsx'), name: 'Subaccounts' },
  {
    path: 'subaccounts/$reference',
    load: () => import('./subaccounts/Subaccount.tsx'),
    name: 'Subaccount',
  },
  { path: 'splits', load: () => import('./splits/Splits.tsx'), name: 'Splits' },
  { path: 'splits/$id', load: () => import('./splits/Split.tsx'), name: 'Split' },
  { path: 'settlements', load: () => import('./settlements/Settlements.tsx'), name: 'Settlements' },
  {
    path: 'settlements/$reference',
    load: () => import('./settlements/Settlement.tsx'),
    name: 'Settlement',
  },
  { path: 'utility', load: () => import('./utility/Utility.tsx'), name: 'Utility' },
  { path: 'utility/new', load: () => import('./utility/NewBill.tsx'), name: 'NewBill' },
  {
    path: 'utility/$reference',
    load: () => import('./utility/UtilityPayment.tsx'),
    name: 'UtilityPayment',
  },
]
