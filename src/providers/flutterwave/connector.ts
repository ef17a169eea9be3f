import { BANKS } from '../banks/banks.ts'
import { probeOf } from '../connector/api.ts'
import type { CredentialField, HttpConnector, ProbeReport } from '../connector/http-connector.ts'
import type { Connection } from '../connector/types.ts'
import { accounts, balances } from './accounts.ts'
import { CURRENCY, SECRET_KEY } from './api.ts'
import { bills } from './bills.ts'
import { collections } from './charges.ts'
import { disputes } from './disputes.ts'
import { FACTS } from './facts.ts'
import { notices, SECRET_HASH } from './notices.ts'
import { payouts } from './payouts.ts'
import { refunds } from './refunds.ts'
import { reports } from './reports.ts'

const BASE_URL = 'https://api.flutterwave.com/v3'

const secretKey: CredentialField = {
  name: SECRET_KEY,
  label: 'Secret key',
  isSecret: true,
  isRequired: true,
  faultOf: keyFault,
}

const HASH_LENGTH_LEAST = 16

const secretHash: CredentialField = {
  name: SECRET_HASH,
  label: 'Secret hash',
  isSecret: true,
  isRequired: true,
  isOurChoice: true,
  // It is the only proof of a notification, and is sent as it is.
  faultOf: (hash) =>
    /^[\x21-\x7e]+$/.test(hash) && hash.length >= HASH_LENGTH_LEAST
      ? undefined
      : `must have at least ${HASH_LENGTH_LEAST} letters, digits or signs, and no spaces`,
}

/** Nothing is proven by "not found", and nothing that is not found may be sent again. */
const NEVER_PROVEN = { provenAfterMs: null, repeatIsSafe: false } as const

const CHECKS: ProbeReport['checks'] = [
  {
    name: 'notice_url',
    isDone: null,
    instruction:
      'Paste the notification URL and the secret hash into Settings, Webhooks. Turn on retries ' +
      'there, and notifications of failed payments.',
  },
  {
    name: 'allowed_addresses',
    isDone: null,
    instruction:
      "Add this server's public IP address to Settings, Whitelisted IP addresses. Without it, " +
      'Flutterwave refuses transfers and bills.',
  },
  {
    name: 'transfers_by_api',
    isDone: null,
    instruction: 'Ask Flutterwave to turn on transfers by API, and turn off their approval.',
  },
  {
    name: 'automatic_settlement',
    isDone: null,
    instruction:
      'Choose to settle payments to the available balance, because transfers are paid from it. ' +
      'Otherwise, add money to the balance before you send transfers.',
  },
  {
    name: 'fees',
    isDone: null,
    instruction:
      "Choose in Settings, Business preferences, that you pay Flutterwave's fees. Otherwise, " +
      'payers are asked for more than the amount that Tradepost shows them, so no accounts are ' +
      'opened for bank transfers.',
  },
]

/** Connects a business's account with version 3 of Flutterwave's API. */
export const flutterwave: HttpConnector = {
  provider: 'flutterwave',
  title: 'Flutterwave',
  // Its other countries have other banks, other channels and other rules.
  currencies: [CURRENCY],
  credentials: [secretKey, secretHash],
  baseUrls: { sandbox: BASE_URL, production: BASE_URL },
  deadlinesMs: { resolve: 10_000, open: 20_000, order: 30_000, lookUp: 15_000, list: 30_000 },
  limits: { perSecond: 10, ordersPerSecond: 4, atOnce: 8 },
  // Flutterwave publishes no limits.
  amounts: {},
  absence: {
    charge: NEVER_PROVEN,
    payout: NEVER_PROVEN,
    refund: NEVER_PROVEN,
    bill: NEVER_PROVEN,
  },
  startIsRepeatable: false,
  pageSources: ['https://*.flutterwave.com'],
  depositAmounts: 'any',
  ussdBanks: BANKS.filter(({ ussdTemplate }) => ussdTemplate).map(({ code }) => code),
  probe: probeOf({ credential: SECRET_KEY, faultOf: keyFault, balances, checks: CHECKS }),
  collections,
  payouts,
  refunds,
  bills,
  accounts,
  balances: { balances },
  reports,
  disputes,
  notices,
  facts: FACTS,
}

function keyFault(key: string, environment: Connection['environment']): string | undefined {
  const isTest = environment !== 'production'
  const fits = isTest ? /^FLWSECK_TEST-[\w-]+$/ : /^FLWSECK-[\w-]+$/
  if (fits.test(key)) return undefined
  const [mode, prefix] = isTest ? ['test', 'FLWSECK_TEST-'] : ['live', 'FLWSECK-']
  return `must be the secret key of Flutterwave's ${mode} mode, which begins with ${prefix}`
}
