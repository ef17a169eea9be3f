import type { Provider } from '../../../api/operations.ts'

export type Service = Provider['settings']['services'][number]

const SERVICES: Record<string, { name: string; means: string }> = {
  BANK_TRANSFER: { name: 'Bank transfer', means: 'Bank transfer payment' },
  USSD: { name: 'USSD', means: 'USSD payment' },
  CARD: { name: 'Card', means: 'Card payment' },
  PAYOUTS: { name: 'Transfers and payouts', means: 'Transfer to a bank' },
  ACCOUNTS: { name: 'Account names', means: 'Account name lookup' },
  UTILITY: { name: 'Bills', means: 'Bill payment' },
}

/** "Bank transfer" for `BANK_TRANSFER`. */
export const serviceName = (service: string): string => SERVICES[service]?.name ?? service
/** What one order of a service is: "Bank transfer payment". */
export const orderName = (service: string): string => SERVICES[service]?.means ?? service

/** In the order in which people read about them. */
export const byService = (a: string, b: string): number =>
  Object.keys(SERVICES).indexOf(a) - Object.keys(SERVICES).indexOf(b)

/** Services that pay money to a bank, or are paid for through one. */
export const hasBank = (service: string): boolean => service === 'USSD' || service === 'PAYOUTS'
export const hasAmount = (service: string): boolean => service !== 'ACCOUNTS'

/** Why a connection cannot take an order, as the second half of a sentence. */
const SKIPPED: Record<string, string> = {
  off: 'its rule is turned off',
  not_active: 'the connection is not active',
  unknown_provider: 'this server does not support the provider',
  not_offered: 'it is not used for this',
  currency: 'it does not take this currency',
  amount: 'the amount is outside its limits',
  bank: 'it does not serve this bank',
  suspended: 'its last calls failed, so no new orders are sent to it now',
  excluded: 'it has already been tried',
}
export const skippedBecause = (why: string): string => SKIPPED[why] ?? why

/** Why no new orders are sent to a provider at the moment. */
const SUSPENDED: Record<string, string> = {
  credentials_refused: 'the provider refused the key',
  address_not_allowed: 'the provider does not allow requests from this server’s IP address',
  feature_off: 'the provider has not turned this on for your account',
  insufficient_provider_balance: 'the balance at the provider is too low',
  not_reached: 'the provider could not be reached',
  provider_down: 'the provider is having problems',
}
export const suspendedBecause = (why: string): string =>
  SUSPENDED[why] ?? 'the last calls to the provider failed'

const CALLS: Record<string, string> = {
  resolve: 'Account name lookups',
  open: 'Payments started',
  order: 'Money sent',
  lookUp: 'Lookups',
  list: 'Lists and balances',
}
export const callName = (kind: string): string => CALLS[kind] ?? kind

/** Where to find each key in the provider's own dashboard. */
const KEY_PLACES: Record<string, Record<string, string>> = {
  paystack: {
    secret_key: 'In Paystack’s dashboard, under Settings, API Keys & Webhooks.',
  },
  flutterwave: {
    secret_key: 'In Flutterwave’s dashboard, under Settings, API keys.',
    secret_hash:
      'A password of your choice, with which Flutterwave signs its notifications. Leave this ' +
      'blank if you have not set one there yet: we make one, and show you where to paste it.',
  },
}
export const keyPlace = (provider: string, name: string): string | undefined =>
  KEY_PLACES[provider]?.[name]

/** How the secret keys of each mode begin. */
const KEY_STARTS: Record<string, Record<'test' | 'live', string>> = {
  paystack: { test: 'sk_test_…', live: 'sk_live_…' },
  flutterwave: { test: 'FLWSECK_TEST-…', live: 'FLWSECK-…' },
}
export const keyStart = (provider: string, name: string, mode: 'test' | 'live') =>
  name === 'secret_key' ? KEY_STARTS[provider]?.[mode] : undefined

/** "a, b and c". */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
