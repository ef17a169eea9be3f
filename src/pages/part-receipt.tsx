import type { Minor } from '../lib/money.ts'
import { Rows } from './components.tsx'
import type { Format } from './format.ts'
import { Icon } from './icons.tsx'
import type { Texts } from './texts.ts'
import type { PaymentMade } from './views.ts'

interface PartReceiptProps {
  t: Texts
  format: Format
  /** Oldest first; the newest one was received just now. */
  payments: readonly PaymentMade[]
  leftMinor: Minor
}

/** The receipt of a part: what was received, what is left, and something to print. */
export function PartReceipt({ t, format, payments, leftMinor }: PartReceiptProps) {
  const last = payments.filter(({ kind }) => kind === 'Payment').at(-1)
  if (!last) return null
  return (
    <section class="card receipt part-receipt" aria-labelledby="received">
      <div class="weave" aria-hidden="true" />
      <h2 id="received">
        <span class="seal good">
          <Icon name="check" />
        </span>
        {t.received.heading(format.amount(last.amountMinor))}
      </h2>
      <p class="soft">{t.received.text(format.amount(leftMinor))}</p>
      <Rows
        pairs={[
          [t.paid.date, format.dayAndTime(last.paidAt)],
          [t.paid.channel, t.channel[last.channel]],
          [t.paid.reference, last.reference, 'reference'],
        ]}
      />
      <button type="button" id="print" class="button quiet wide scripted" data-print>
        <Icon name="print" />
        {t.paid.print}
      </button>
    </section>
  )
}
