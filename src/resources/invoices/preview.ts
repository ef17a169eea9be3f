import { type Static, Type } from 'typebox'
import { dayIn, isDay } from '../../lib/dates.ts'
import { AMOUNT_MINOR_MAX, isCurrency, type Minor } from '../../lib/money.ts'
import type { Caller } from '../../lib/tenant.ts'
import { renderInvoicePage } from '../../pages/pages.ts'
import type { LineItemView } from '../../pages/views.ts'
import { merchantOf, shownTermsOf } from '../branding/shown.ts'
import type { Deps } from '../deps.ts'
import { USSD_BANKS } from '../transactions/attempt-view.ts'
import { partView, readAmount } from './part.ts'

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

/** What somebody has typed of an invoice so far, whether or not it could be saved like that. */
export const InvoiceDraft = Type.Object({
  number: text(40),
  customerEmail: text(500),
  customerName: text(500),
  note: text(5_000),
  dueDate: text(10),
  currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
  amount: text(40),
  lineItems: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ maxLength: 500 }),
        quantity: Type.Integer({ minimum: 0, maximum: 1_000_000_000 }),
        unitAmount: Type.String({ maxLength: 40 }),
      }),
      { maxItems: 100 },
    ),
  ),
  allowPartialPayment: Type.Optional(Type.Boolean()),
})
export type InvoiceDraft = Static<typeof InvoiceDraft>

/** The page as the customer will see it, as HTML. What cannot be read yet is left out. */
export async function previewInvoice(
  { db, providers }: Pick<Deps, 'db' | 'providers'>,
  caller: Caller,
  draft: InvoiceDraft,
  locale: string,
): Promise<string> {
  const { businessId, live, now } = caller
  const currency = draft.currency && isCurrency(draft.currency) ? draft.currency : 'NGN'
  const terms = await shownTermsOf(db, { businessId, live })
  const lineItems = linesOf(draft, currency)
  const amount_minor =
    lineItems.length > 0
      ? atMost(lineItems.reduce((sum, { amountMinor }) => sum + amountMinor, 0n))
      : read(draft.amount, currency)
  const { note, customerName, customerEmail } = draft
  const dueDate = draft.dueDate && isDay(draft.dueDate) ? draft.dueDate : undefined
  const channels = currency === 'NGN' ? providers.channels(live) : []
  const part = partView(
    {
      amount_minor,
      paid_minor: 0n,
      currency,
      allow_partial_payment: draft.allowPartialPayment ?? false,
    },
    undefined,
  )
  return renderInvoicePage(
    {
      token: 'preview',
      version: '',
      test: !live,
      merchant: merchantOf(terms),
      invoice: {
        number: draft.number || 'INV-…',
        reference: '',
        status: 'Sent',
        ...(note && { note }),
        ...((customerName || customerEmail) && { customerName: customerName || customerEmail! }),
        lineItems,
        amountMinor: amount_minor,
        paidMinor: 0n,
        dueMinor: amount_minor,
        currency,
        ...(dueDate && { dueDate }),
        isOverdue: dueDate !== undefined && dueDate < dayIn(terms.time_zone, now),
        createdAt: now,
      },
      channels,
      ussdBanks: channels.includes('USSD') ? USSD_BANKS : [],
      ...(part && { part }),
      payments: [],
      now,
      timeZone: terms.time_zone,
    },
    { nonce: '', locale, preview: 'light' },
  )
}

const linesOf = (draft: InvoiceDraft, currency: string): LineItemView[] =>
  (draft.lineItems ?? []).map(({ name, quantity, unitAmount }) => {
    const unitAmountMinor = read(unitAmount, currency)
    const amountMinor = atMost(unitAmountMinor * BigInt(quantity))
    return { name: name || '…', quantity, unitAmountMinor, amountMinor }
  })

const read = (amount: string | undefined, currency: string): Minor =>
  atMost(readAmount(amount ?? '', currency) ?? 0n)

const atMost = (minor: Minor): Minor => (minor > AMOUNT_MINOR_MAX ? AMOUNT_MINOR_MAX : minor)
