import { probeOf } from '../connector/api.ts'
import type { CredentialField, HttpConnector, ProbeReport } from '../connector/http-connector.ts'
import type { Connection } from '../connector/types.ts'
import { accounts, balances } from './accounts.ts'
import { SECRET_KEY } from './api.ts'
import { collections, USSD_BANKS } from './charges.ts'
import { disputes } from './disputes.ts'
import { FACTS } from './facts.ts'
import { notices } from './notices.ts'
import { payouts } from './payouts.ts'
import { refunds } from './refunds.ts'
import { reports } from './reports.ts'

const MINUTE_MS = 60_000
const BASE_URL = 'https://api.paystack.co'
const LEAST_MINOR = 5_000n

const secretKey: CredentialField = {
  name: SECRET_KEY,
  label: 'Secret key',
  isSecret: true,
  isRequired: true,
  faultOf: keyFault,
}

const CHECKS: ProbeReport['checks'] = [
  {
    name: 'notice_url',
    isDone: null,
    instruction: 'Paste the notification URL into Settings, API Keys & Webhooks, Webhook URL.',
  },
  {
    name: 'transfer_confirmation',
    isDone: null,
    instruction: 'Turn off the confirmation of transfers in Settings, Preferences.',
  },
  {
    name: 'automatic_settlement',
    isDone: null,
    instruction:
      'Ask Paystack to keep payments on the balance, because transfers are paid from it. ' +
      'Otherwise, add money to the balance before you send transfers.',
  },
  {
    name: 'registered_business',
    isDone: null,
    instruction: 'Register the business with Paystack: a starter business cannot pay others.',
  },
]

/** Connects a business's account with Paystack. */
export const paystack: HttpConnector = {
  provider: 'paystack',
  title: 'Paystack',
  // Its other countries have other banks, other channels and other rules.
  currencies: ['NGN'],
  credentials: [secretKey],
  baseUrls: { sandbox: BASE_URL, production: BASE_URL },
  deadlinesMs: { resolve: 10_000, open: 20_000, order: 30_000, lookUp: 15_000, list: 30_000 },
  limits: { perSecond: 10, ordersPerSecond: 4, atOnce: 8 },
  amounts: {
    BANK_TRANSFER: { least_minor: LEAST_MINOR, most_minor: null },
    USSD: { least_minor: LEAST_MINOR, most_minor: null },
    PAYOUTS: { least_minor: LEAST_MINOR, most_minor: null },
  },
  absence: {
    charge: { provenAfterMs: 10 * MINUTE_MS, repeatIsSafe: true },
    payout: { provenAfterMs: 10 * MINUTE_MS, repeatIsSafe: true },
    // Every request for a refund makes another one.
    refund: { provenAfterMs: null, repeatIsSafe: false },
    bill: { provenAfterMs: null, repeatIsSafe: false },
  },
  startIsRepeatable: false,
  pageSources: ['https://*.paystack.com', 'https://*.paystack.co'],
  depositAmounts: 'exact',
  ussdBanks: USSD_BANKS,
  probe: probeOf({ credential: SECRET_KEY, faultOf: keyFault, balances, checks: CHECKS }),
  collections,
  payouts,
  refunds,
  accounts,
  balances: { balances },
  reports,
  disputes,
  notices,
  facts: FACTS,
}

function keyFault(key: string, environment: Connection['environment']): string | undefined {
  const prefix = environment === 'production' ? 'sk_live_' : 'sk_test_'
  if (/^sk_(?:test|live)_\w+$/.test(key) && key.startsWith(prefix)) return undefined
  const mode = environment === 'production' ? 'live' : 'test'
  return `must be the secret key of Paystack's ${mode} mode, which begins with ${prefix}`
}
