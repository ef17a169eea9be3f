import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Failure } from '../ui/feedback.tsx'
import { BrokenScreen, NoScreen } from '../ui/ScreenErrors.tsx'
import { useDocumentTitle } from './document-title.ts'
import { SignedIn } from './SignedIn.tsx'

type Search = Record<string, string | undefined>

const root = createRootRoute({
  component: Root,
  notFoundComponent: NoScreen,
  errorComponent: ({ error, reset }) => <Failure error={error} again={reset} />,
  validateSearch: (search): Search => search as Search,
})

function Root() {
  useDocumentTitle()
  return <Outlet />
}

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/$mode/overview', params: { mode: 'test' }, replace: true })
  },
})

type Loaded = () => Promise<Record<string, ComponentType>>

/** Defines a page that doesn't require the user to be signed in. */
const signedOut = <const Path extends string>(path: Path, name: string) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(
      (() => import('../screens/account/SignedOutPages.tsx')) as () => Promise<object> as Loaded,
      name,
    ),
  })

/** Every screen's URL starts with the mode. */
const mode = createRoute({
  getParentRoute: () => root,
  path: '/$mode',
  component: SignedIn,
  notFoundComponent: NoScreen,
  beforeLoad: ({ params, location }) => {
    if (params.mode === 'test' || params.mode === 'live') return
    const meant = redirectFor(location.pathname)
    if (!meant) throw notFound()
    throw redirect({ href: meant + location.searchStr, replace: true })
  },
})

/** If the URL names only a mode, opens the overview. */
const start = createRoute({
  getParentRoute: () => mode,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$mode/overview', params, replace: true })
  },
})

/**
 * Defines a screen by its path below the mode, the file to load on first use, and the name of the
 * component in that file. The compiler does not check this name. If it did, the types of screen
 * addresses would depend on all screens, which themselves depend on the addresses.
 */
const screen = <const Path extends string>(path: Path, load: () => Promise<object>, name: string) =>
  createRoute({
    getParentRoute: () => mode,
    path,
    component: lazyRouteComponent(load as Loaded, name),
    // If a screen crashes, the navigation around it keeps working.
    errorComponent: BrokenScreen,
  })

/**
 * A new screen needs a line here and, if the navigation should link to it, one in ui/screens.ts.
 */
const screenRoutes = [
  screen('overview', () => import('../screens/overview/Overview.tsx'), 'Overview'),
  screen('customers', () => import('../screens/overview/Customers.tsx'), 'Customers'),
  screen('customers/$email', () => import('../screens/overview/Customers.tsx'), 'Customer'),
  screen('keys', () => import('../screens/business/keys/Keys.tsx'), 'Keys'),
  screen('mailbox', () => import('../screens/developers/mailbox/Mailbox.tsx'), 'Mailbox'),
  screen('mailbox/$id', () => import('../screens/developers/mailbox/Mailbox.tsx'), 'Mail'),
  screen('payments', () => import('../screens/payments/Payments.tsx'), 'Payments'),
  screen('payments/new', () => import('../screens/sales/checkout/NewPayment.tsx'), 'NewPayment'),
  screen('payments/$reference', () => import('../screens/payments/Payment.tsx'), 'Payment'),
  screen('checkouts', () => import('../screens/sales/checkout/Checkouts.tsx'), 'Checkouts'),
  screen(
    'checkouts/$reference',
    () => import('../screens/sales/checkout/Checkout.tsx'),
    'Checkout',
  ),
  screen('deposits', () => import('../screens/payments/deposits/Deposits.tsx'), 'Deposits'),
  screen(
    'deposits/$reference',
    () => import('../screens/payments/deposits/Deposit.tsx'),
    'Deposit',
  ),
  screen(
    'virtual-accounts',
    () => import('../screens/payments/virtual-accounts/VirtualAccounts.tsx'),
    'VirtualAccounts',
  ),
  screen(
    'virtual-accounts/$id',
    () => import('../screens/payments/virtual-accounts/VirtualAccounts.tsx'),
    'VirtualAccount',
  ),
  screen('wallet', () => import('../screens/money/wallet/Wallet.tsx'), 'Wallet'),
  screen('ledger', () => import('../screens/money/ledger/Ledger.tsx'), 'Ledger'),
  screen('ledger/$reference', () => import('../screens/money/ledger/Entry.tsx'), 'Entry'),
  screen('transfers', () => import('../screens/money/transfers/Transfers.tsx'), 'Transfers'),
  screen(
    'transfers/new',
    () => import('../screens/money/transfers/NewTransfer.tsx'),
    'NewTransfer',
  ),
  screen(
    'transfers/$reference',
    () => import('../screens/money/transfers/Transfer.tsx'),
    'Transfer',
  ),
  screen('invoices', () => import('../screens/sales/invoices/Invoices.tsx'), 'Invoices'),
  screen('invoices/new', () => import('../screens/sales/invoices/InvoiceForm.tsx'), 'NewInvoice'),
  screen('invoices/$reference', () => import('../screens/sales/invoices/Invoice.tsx'), 'Invoice'),
  screen(
    'invoices/$reference/edit',
    () => import('../screens/sales/invoices/InvoiceForm.tsx'),
    'EditInvoice',
  ),
  screen('pages', () => import('../screens/sales/payment-pages/Pages.tsx'), 'Pages'),
  screen('pages/new', () => import('../screens/sales/payment-pages/PageForm.tsx'), 'NewPage'),
  screen('pages/$id', () => import('../screens/sales/payment-pages/Page.tsx'), 'Page'),
  screen('pages/$id/edit', () => import('../screens/sales/payment-pages/PageForm.tsx'), 'EditPage'),
  screen('products', () => import('../screens/sales/products/Products.tsx'), 'Products'),
  screen('products/new', () => import('../screens/sales/products/ProductForm.tsx'), 'NewProduct'),
  screen('products/$id', () => import('../screens/sales/products/Product.tsx'), 'Product'),
  screen(
    'products/$id/edit',
    () => import('../screens/sales/products/ProductForm.tsx'),
    'EditProduct',
  ),
  screen('orders', () => import('../screens/sales/orders/Orders.tsx'), 'Orders'),
  screen('orders/$reference', () => import('../screens/sales/orders/Order.tsx'), 'Order'),
  screen('discounts', () => import('../screens/sales/discounts/Discounts.tsx'), 'Discounts'),
  screen('delivery', () => import('../screens/sales/products/Delivery.tsx'), 'Delivery'),
  screen('webhooks', () => import('../screens/developers/webhooks/Webhooks.tsx'), 'Webhooks'),
  screen(
    'webhooks/$reference',
    () => import('../screens/developers/webhooks/Webhook.tsx'),
    'Webhook',
  ),
  screen(
    'webhooks/$reference/deliveries/$id',
    () => import('../screens/developers/webhooks/Delivery.tsx'),
    'Delivery',
  ),
  screen('events', () => import('../screens/developers/events/Events.tsx'), 'Events'),
  screen('events/$id', () => import('../screens/developers/events/Event.tsx'), 'Event'),
  screen('requests', () => import('../screens/developers/request-log/Requests.tsx'), 'Requests'),
  screen(
    'requests/$requestId',
    () => import('../screens/developers/request-log/Requests.tsx'),
    'Request',
  ),
  screen('simulator', () => import('../screens/simulator/Simulator.tsx'), 'Simulator'),
  screen('partners', () => import('../screens/business/partners/Partners.tsx'), 'Partners'),
  screen('settings', () => import('../screens/business/settings/Settings.tsx'), 'Settings'),
  screen(
    'settings/$section',
    () => import('../screens/business/settings/Settings.tsx'),
    'Settings',
  ),
  screen(
    'settings/providers/connect',
    () => import('../screens/business/providers/Connect.tsx'),
    'ConnectProvider',
  ),
  screen(
    'settings/providers/$connectionId',
    () => import('../screens/business/providers/Connection.tsx'),
    'Connection',
  ),
  screen('security', () => import('../screens/business/security/Security.tsx'), 'Security'),
  screen('team', () => import('../screens/business/team/Team.tsx'), 'Team'),
  screen('audit', () => import('../screens/business/audit-log/AuditLog.tsx'), 'AuditLog'),
  screen('refunds', () => import('../screens/payments/Refunds.tsx'), 'Refunds'),
  screen('refunds/$reference', () => import('../screens/payments/Refund.tsx'), 'Refund'),
  screen('disputes', () => import('../screens/payments/disputes/Disputes.tsx'), 'Disputes'),
  screen(
    'disputes/$reference',
    () => import('../screens/payments/disputes/Dispute.tsx'),
    'Dispute',
  ),
  screen(
    'reconciliation',
    () => import('../screens/money/reconciliation/Reconciliation.tsx'),
    'Reconciliation',
  ),
  screen(
    'reconciliation/$connectionId/days/$day',
    () => import('../screens/money/reconciliation/Day.tsx'),
    'Day',
  ),
  screen(
    'differences',
    () => import('../screens/money/reconciliation/Differences.tsx'),
    'Differences',
  ),
  screen(
    'differences/$reference',
    () => import('../screens/money/reconciliation/Difference.tsx'),
    'Difference',
  ),
  screen(
    'unresolved',
    () => import('../screens/money/reconciliation/Unresolved.tsx'),
    'Unresolved',
  ),
  screen(
    'unresolved/$order',
    () => import('../screens/money/reconciliation/UnresolvedOrder.tsx'),
    'UnresolvedOrder',
  ),
  screen(
    'subaccounts',
    () => import('../screens/money/subaccounts/Subaccounts.tsx'),
    'Subaccounts',
  ),
  screen(
    'subaccounts/$reference',
    () => import('../screens/money/subaccounts/Subaccount.tsx'),
    'Subaccount',
  ),
  screen('splits', () => import('../screens/money/split-pages/Splits.tsx'), 'Splits'),
  screen('splits/$id', () => import('../screens/money/split-pages/Split.tsx'), 'Split'),
  screen(
    'settlements',
    () => import('../screens/money/settlements/Settlements.tsx'),
    'Settlements',
  ),
  screen(
    'settlements/$reference',
    () => import('../screens/money/settlements/Settlement.tsx'),
    'Settlement',
  ),
  screen('utility', () => import('../screens/money/bills/Utility.tsx'), 'Utility'),
  screen('utility/new', () => import('../screens/money/bills/NewBill.tsx'), 'NewBill'),
  screen(
    'utility/$reference',
    () => import('../screens/money/bills/Utility.tsx'),
    'UtilityPayment',
  ),
] as const

export const routeTree = root.addChildren([
  home,
  signedOut('sign-in', 'SignIn'),
  signedOut('sign-up', 'SignUp'),
  signedOut('forgot-password', 'ForgotPassword'),
  signedOut('reset-password', 'ResetPassword'),
  // One form for both: people with an account join with their password, and others create an
  // account.
  signedOut('invitation', 'SignUp'),
  // Links in emails lead to these pages.
  signedOut('confirm-email', 'ConfirmEmail'),
  signedOut('remove-passkeys', 'RemovePasskeys'),
  mode.addChildren([start, ...screenRoutes]),
])

/** URLs that people commonly guess, with the screens that they are probably looking for. */
const MEANT: Record<string, string> = {
  account: 'security',
  admin: 'overview',
  'api-keys': 'keys',
  bills: 'utility',
  chargebacks: 'disputes',
  customer: 'customers',
  dashboard: 'overview',
  developers: 'webhooks',
  home: 'overview',
  'payment-links': 'pages',
  'payment-pages': 'pages',
  payouts: 'transfers',
  profile: 'settings',
  transactions: 'payments',
  users: 'team',
}

const SIGNED_OUT: Record<string, string> = {
  login: '/sign-in',
  'log-in': '/sign-in',
  signin: '/sign-in',
  register: '/sign-up',
  signup: '/sign-up',
}

/**
 * Returns the URL to redirect to if a URL has no mode: `/invoices/INV_1` opens in test mode, and
 * `/login` opens the sign-in page.
 */
function redirectFor(pathname: string): string | undefined {
  const [first = '', ...rest] = pathname.split('/').filter(Boolean)
  const name = first.toLowerCase()
  if (SIGNED_OUT[name]) return SIGNED_OUT[name]
  const screen = MEANT[name] ?? name
  const isScreen = screenRoutes.some(({ path }) => path.split('/')[0] === screen)
  return isScreen ? `/test/${[screen, ...rest].join('/')}` : undefined
}
