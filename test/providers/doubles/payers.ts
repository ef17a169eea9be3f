import type { Page } from './double.ts'

/** Where a bank transfer comes from. */
export interface Sender {
  name: string
  accountNumber: string
}

export const PAYER: Sender = { name: 'ADA OBI', accountNumber: '0123456553' }

interface PayerWithBank {
  transferTo(account: string, amount_minor: bigint): 'kept' | 'returned'
  dial(ussdCode: string): void
}

/** The payer's own bank, which belongs to no provider: `/bank` on each double's dashboard. */
export function bankPage(
  payer: PayerWithBank,
  method: string,
  { pathname }: URL,
  form: URLSearchParams,
): Page | undefined {
  if (pathname !== '/bank') return undefined
  return bank(method === 'POST' ? atBank(payer, form) : '')
}

function atBank(payer: PayerWithBank, form: URLSearchParams): string {
  try {
    const code = form.get('code')
    if (code !== null) {
      payer.dial(code)
      return 'Paid'
    }
    const kobo = koboOf(form.get('amount')?.replaceAll(',', ''))
    if (kobo === undefined) return 'Enter an amount'
    const outcome = payer.transferTo(form.get('account') ?? '', kobo)
    return outcome === 'kept' ? 'Sent' : 'Sent, and returned'
  } catch (error) {
    return error instanceof Error ? error.message : `${error}`
  }
}

const bank = (message: string) =>
  page('A bank', [
    message && `<p role="status">${escaped(message)}</p>`,
    '<form method="post"><label>Account number <input name="account" required></label>',
    '<label>Amount in naira <input name="amount" inputmode="decimal" required></label>',
    '<button>Transfer</button></form>',
    '<form method="post"><label>USSD code <input name="code" required></label>',
    '<button>Dial</button></form>',
  ])

interface Checkout {
  amount_minor: bigint
  email: string
  isTest: boolean
  state: 'open' | 'declined' | 'paid'
  /** The value and the text of each button. */
  choices: readonly (readonly [value: string, text: string])[]
}

/** A provider's hosted page. */
export function checkoutPage({ amount_minor, email, isTest, state, choices }: Checkout): Page {
  const buttons = [
    ...choices,
    ['decline', 'Pay with a card that is declined'],
    ['cancel', 'Cancel'],
  ]
  const form = buttons.map(
    ([value, text]) => `<button name="choice" value="${value}">${text}</button>`,
  )
  return page(`Pay ${naira(amount_minor)}`, [
    `<p>${isTest ? 'Test payment' : 'Payment'} by ${escaped(email)}</p>`,
    state === 'declined' ? '<p role="alert">Declined. You can try again.</p>' : '',
    state === 'paid'
      ? '<p role="status">You have paid.</p>'
      : `<form method="post">${form.join('')}</form>`,
  ])
}

/** Kobo from naira as text, such as `2500.10`; undefined if it is no amount. */
export function koboOf(naira: string | undefined): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(naira ?? '') ?? []
  return whole === undefined ? undefined : BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'))
}

const naira = (kobo: bigint) => `NGN ${kobo / 100n}.${`${kobo % 100n}`.padStart(2, '0')}`

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const page = (title: string, parts: readonly string[]): Page => ({
  status: 200,
  html: `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>${title}</title><main><h1>${title}</h1>${parts.join('\n')}</main></html>`,
})
