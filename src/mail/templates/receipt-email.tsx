import { type Format, formatOf } from '../../pages/format.ts'
import type { EmailContent } from '../email.ts'
import { renderCustomerEmail } from './customer-email.tsx'
import type { Row } from './pieces.tsx'
import { texts } from './texts.ts'
import type { ReceiptEmailView } from './views.ts'

interface Props {
  view: ReceiptEmailView
  format: Format
}

/**
 * Renders the receipt for a payment. If nothing was due, renders the notice that the payment will
 * be refunded.
 */
export function renderReceiptEmail(view: ReceiptEmailView): EmailContent {
  const props = { view, format: formatOf(view.currency, texts.locale, view.timeZone) }
  const amount = props.format.amount(view.paidMinor)
  const { subject: say } = view.owedBack ? texts.owedBackMail : texts.receiptMail
  const over = overOf(props)
  return renderCustomerEmail(view, {
    subject: say(amount, view.merchant.name),
    preview: introOf(view),
    what: texts.invoice(view.number),
    testBanner: texts.testReceipt,
    greeting: texts.greeting(view.customerName),
    intro: introOf(view),
    amount: { label: labelOf(view), amount },
    standing: over === undefined ? undefined : { text: over },
    act: { text: actOf(view), href: view.hostedUrl },
    sections: [{ rows: factsOf(props) }],
  })
}

function introOf({ number, leftMinor, owedBack }: ReceiptEmailView): string {
  if (owedBack) return texts.owedBackMail[owedBack](number)
  return leftMinor > 0n ? texts.receiptMail.part(number) : texts.receiptMail.whole(number)
}

const labelOf = ({ owedBack }: ReceiptEmailView): string =>
  owedBack ? texts.owedBackMail.amount : texts.receiptMail.amount

/** Returns the amount still due on the invoice; 0 if the invoice accepts no more payments. */
const leftOf = ({ leftMinor, owedBack }: ReceiptEmailView) => (owedBack ? 0n : leftMinor)

function factsOf({ view, format }: Props): Row[] {
  const t = texts.receiptMail
  const left_minor = leftOf(view)
  return [
    { name: t.amount, value: format.amount(view.paidMinor), strong: true },
    ...(view.feeMinor > 0n ? [{ name: t.fee, value: format.amount(view.feeMinor) }] : []),
    { name: t.date, value: format.dayAndTime(view.paidAt) },
    { name: t.channel, value: texts.channel[view.channel] },
    { name: t.reference, value: view.reference },
    { name: t.to, value: view.merchant.name },
    { name: t.invoice, value: view.number },
    ...(left_minor > 0n ? [{ name: t.left, value: format.amount(left_minor), strong: true }] : []),
  ]
}

const actOf = (view: ReceiptEmailView): string =>
  leftOf(view) > 0n ? texts.receiptMail.payRest : texts.receiptMail.see

function overOf({ view, format }: Props): string | undefined {
  const { excessMinor, merchant, owedBack } = view
  if (owedBack) return texts.owedBackMail.back(merchant.name)
  return excessMinor > 0n
    ? texts.receiptMail.over(format.amount(excessMinor), merchant.name)
    : undefined
}
