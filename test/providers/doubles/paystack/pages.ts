import type { Page } from '../double.ts'
import { type Account, domainOf, type Transaction } from './account.ts'
import type { payerOf } from './charges.ts'

/** What payers see: Paystack's page for a payment, and their bank. */
export function payerPages(account: Account, payer: ReturnType<typeof payerOf>) {
  return (method: string, { pathname }: URL, form: URLSearchParams): Page | undefined => {
    if (pathname === '/bank') return method === 'POST' ? atBank(payer, form) : bank()
    const [, accessCode] = /^\/checkout\/(\w+)$/.exec(pathname) ?? []
    const found = account.transactions.find(({ hosted }) => hosted?.accessCode === accessCode)
    if (accessCode === undefined || !found) return undefined
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

function checkout(account: Account, { requested, hosted, status, customer }: Transaction): Page {
  const has = (channel: string) => hosted!.channels.includes(channel)
  const button = (choice: string, text: string) =>
    `<button name="choice" value="${choice}">${text}</button>`
  const form = [
    has('card') ? button('card', 'Pay with card') : '',
    has('bank') ? button('bank', 'Pay with bank') : '',
    button('decline', 'Pay with a card that is declined'),
    button('cancel', 'Cancel'),
  ]
  const isPaid = status === 'success' || status === 'reversed'
  return page(`Pay ${naira(requested)}`, [
    `<p>${domainOf(account) === 'test' ? 'Test payment' : 'Payment'} by ${escaped(customer.email)}</p>`,
    status === 'failed' ? '<p role="alert">Declined. You can try again.</p>' : '',
    isPaid ? '<p role="status">You have paid.</p>' : `<form method="post">${form.join('')}</form>`,
  ])
}

const bank = (message = '') =>
  page('A bank', [
    message && `<p role="status">${escaped(message)}</p>`,
    '<form method="post"><label>Account number <input name="account" required></label>',
    '<label>Amount in naira <input name="amount" inputmode="decimal" required></label>',
    '<button>Transfer</button></form>',
    '<form method="post"><label>USSD code <input name="code" required></label>',
    '<button>Dial</button></form>',
  ])

function atBank(payer: ReturnType<typeof payerOf>, form: URLSearchParams): Page {
  try {
    const code = form.get('code')
    if (code !== null) {
      payer.dial(code)
      return bank('Paid')
    }
    const amount = /^(\d+)(?:\.(\d{1,2}))?$/.exec(form.get('amount')?.replaceAll(',', '') ?? '')
    if (!amount) return bank('Enter an amount')
    const kobo = BigInt(amount[1]!) * 100n + BigInt((amount[2] ?? '').padEnd(2, '0'))
    const outcome = payer.transferTo(form.get('account') ?? '', kobo)
    return bank(outcome === 'kept' ? 'Sent' : 'Sent, and returned')
  } catch (error) {
    return bank(error instanceof Error ? error.message : `${error}`)
  }
}

const naira = (kobo: bigint) => `NGN ${kobo / 100n}.${`${kobo % 100n}`.padStart(2, '0')}`

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const page = (title: string, parts: readonly string[]): Page => ({
  status: 200,
  html: `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>${title}</title><main><h1>${title}</h1>${parts.join('\n')}</main></html>`,
})
