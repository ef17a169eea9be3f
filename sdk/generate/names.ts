/**
 * The first of these words in an operation's name determines its group of methods. The method's
 * name omits the word: `create_invoice` is `invoices.create`.
 */
const NOUNS: Record<string, string> = {
  simulate: 'simulator',
  payment_page: 'paymentPages',
  split_page: 'splitPages',
  discount_code: 'discountCodes',
  delivery_fee: 'deliveryFees',
  digital_download_file: 'digitalFiles',
  download: 'digitalFiles',
  invoice: 'invoices',
  transaction: 'transactions',
  transfer: 'transfers',
  refund: 'refunds',
  checkout: 'checkout',
  order: 'orders',
  subaccount: 'subaccounts',
  settlement: 'settlements',
  product: 'products',
  profile: 'profile',
  wallet: 'wallet',
  bank: 'banks',
  webhook: 'webhooks',
  event: 'events',
  request: 'requests',
  utility: 'utility',
  partner: 'partners',
}

/** Groups for operations whose names don't contain any of the words. */
const GROUPS: Record<string, string> = {
  check_custom_link: 'paymentPages',
  create_oauth_token: 'partners',
}

/**
 * `list_webhook_deliveries` becomes `webhooks.listDeliveries`. Without a known noun, the tag
 * determines the group.
 */
export function methodOf(operation: string, tag: string): { group: string; method: string } {
  const given = GROUPS[operation]
  const found = given ? undefined : nounIn(operation)
  if (!found) return { group: given ?? camel(words(tag)), method: camel(operation.split('_')) }
  const { start, end, group } = found
  const parts = operation.split('_')
  return { group, method: camel([...parts.slice(0, start), ...parts.slice(end)]) }
}

/**
 * Finds the first noun in the name. If two nouns start at the same place, finds the longer one,
 * which is listed first.
 */
function nounIn(operation: string) {
  const parts = operation.split('_')
  const found = Object.entries(NOUNS).flatMap(([noun, group]) => {
    const length = noun.split('_').length
    const start = parts.findIndex((_, i) => isNoun(parts.slice(i, i + length).join('_'), noun))
    return start < 0 ? [] : [{ start, end: start + length, group }]
  })
  return found.sort((a, b) => a.start - b.start)[0]
}

const isNoun = (text: string, noun: string) => text === noun || text === `${noun}s`

const words = (text: string) => text.toLowerCase().split(/[^a-z0-9]+/)

const camel = (parts: string[]) => parts.map((part, i) => (i === 0 ? part : capital(part))).join('')

export const pascal = (text: string) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map(capital)
    .join('')

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * `list_utility_categories` returns UtilityCategory records, and `get_refund_by_reference` a
 * Refund.
 */
export function recordName(operation: string, isList: boolean): string {
  const [, ...noun] = operation.replace(/_(by_reference|of_\w+|bare|deprecated)$/, '').split('_')
  const name = pascal(noun.join('_'))
  const one = isList ? name.replace(/ies$/, 'y').replace(/(?<!s)s$/, '') : name
  return GLOBALS.includes(one) ? `${one}Record` : one
}

/** Names of platform types, which generated types must not use. */
const GLOBALS = ['Event', 'Request', 'Response']
