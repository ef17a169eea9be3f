import { SCREEN_ROUTES } from './routes.ts'

/** What people type who do not know the addresses, and what they mean by it. */
const MEANT: Record<string, string> = {
  account: 'security',
  admin: 'overview',
  'api-keys': 'keys',
  bills: 'utility',
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

const OUTSIDE: Record<string, string> = {
  login: '/sign-in',
  'log-in': '/sign-in',
  signin: '/sign-in',
  register: '/sign-up',
  signup: '/sign-up',
}

const SCREENS = new Set(SCREEN_ROUTES.map(({ path }) => path.split('/')[0]))

/** Where an address without a mode leads: `/invoices/INV_1` is in test mode, `/login` signs in. */
export function meantBy(pathname: string): string | undefined {
  const [first = '', ...rest] = pathname.split('/').filter(Boolean)
  const name = first.toLowerCase()
  if (OUTSIDE[name]) return OUTSIDE[name]
  const screen = MEANT[name] ?? name
  return SCREENS.has(screen) ? `/test/${[screen, ...rest].join('/')}` : undefined
}
