import type { Page } from '../double.ts'
import { bankPage, checkoutPage } from '../payers.ts'
import { type Account, type Checkout, isTest, type PaymentType, withFees } from './account.ts'
import type { payerOf } from './charges.ts'

/** What payers see: Flutterwave's page for a payment, and their bank. */
export function payerPages(account: Account, payer: ReturnType<typeof payerOf>) {
  return (method: string, url: URL, form: URLSearchParams): Page | undefined => {
    const [, token] = /^\/v3\/hosted\/pay\/(\w+)$/.exec(url.pathname) ?? []
    const found = account.checkouts.find((one) => one.token === token)
    if (token === undefined || !found) return bankPage(payer, method, url, form)
    if (method !== 'POST') return checkout(account, found)
    const choice = form.get('choice')
    if (choice === 'cancel') return { status: 303, location: payer.cancel(token) }
    const type = CHOICES.find(([option]) => option === choice)?.[2] ?? 'card'
    const location = payer.submit(token, choice !== 'decline', type)
    return location ? { status: 303, location } : checkout(account, found)
  }
}

/** What `payment_options` calls it, its button, and what the transaction calls it. */
const CHOICES: readonly (readonly [string, string, PaymentType])[] = [
  ['card', 'Pay with card', 'card'],
  ['banktransfer', 'Pay by bank transfer', 'bank_transfer'],
  ['ussd', 'Pay with USSD', 'ussd'],
  ['account', 'Pay with bank', 'account'],
]

const checkout = (account: Account, { amount, customer, state, options }: Checkout): Page =>
  checkoutPage({
    amount_minor: withFees(account, amount),
    email: customer.email,
    state,
    isTest: isTest(account),
    choices: CHOICES.filter(([option]) => options.includes(option)).map(
      ([option, text]) => [option, text] as const,
    ),
  })
