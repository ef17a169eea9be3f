import type { Page } from '../double.ts'
import { bankPage, checkoutPage } from '../payers.ts'
import { type Account, domainOf, type Transaction } from './account.ts'
import type { payerOf } from './charges.ts'

/** What payers see: Paystack's page for a payment, and their bank. */
export function payerPages(account: Account, payer: ReturnType<typeof payerOf>) {
  return (method: string, url: URL, form: URLSearchParams): Page | undefined => {
    const [, accessCode] = /^\/checkout\/(\w+)$/.exec(url.pathname) ?? []
    const found = account.transactions.find(({ hosted }) => hosted?.accessCode === accessCode)
    if (accessCode === undefined || !found) return bankPage(payer, method, url, form)
    if (method !== 'POST') return checkout(account, found)
    const choice = form.get('choice')
    if (choice === 'cancel') {
      const { callbackUrl } = found.hosted!
      return callbackUrl ? { status: 303, location: callbackUrl } : checkout(account, found)
    }
    const channel = choice === 'bank' ? 'bank' : 'card'
    const location = payer.submit(accessCode, choice !== 'decline', channel)
    return location ? { status: 303, location } : checkout(account, found)
  }
}

const CHOICES = [
  ['card', 'Pay with card'],
  ['bank', 'Pay with bank'],
] as const

function checkout(account: Account, { requested, hosted, status, customer }: Transaction): Page {
  const isPaid = status === 'success' || status === 'reversed'
  const declined = status === 'failed' ? 'declined' : 'open'
  return checkoutPage({
    amount_minor: requested,
    email: customer.email,
    isTest: domainOf(account) === 'test',
    state: isPaid ? 'paid' : declined,
    choices: CHOICES.filter(([channel]) => hosted!.channels.includes(channel)),
  })
}
