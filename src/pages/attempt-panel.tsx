import { CopyField, Notice, noTranslate } from './components.tsx'
import { MethodPicker } from './method-picker.tsx'
import type { PayProps } from './pay-panels.tsx'
import { CardPanel, DetailRow, GroupedDigits, TransferPanel, UssdPanel } from './pay-panels.tsx'
import type { ManualPaymentView, PaymentAttempt } from './views.ts'

interface WaysProps extends PayProps {
  /** The open payment attempt, or the last attempt if it failed. */
  payment: PaymentAttempt | undefined
  merchant: string
  /**
   * The merchant's own bank account with the reference to use, shown if no channel is connected.
   */
  manual?: ManualPaymentView & { reference: string }
}

export function AttemptPanel(props: WaysProps) {
  const { view, payment } = props
  if (payment?.outcome === 'Pending' && hasStarted(payment)) {
    const Waiting = PANELS[payment.channel]
    return <Waiting {...props} payment={payment} />
  }
  return (
    <>
      <LastAttempt {...props} />
      {view.channels.length > 0 ? <MethodPicker {...props} /> : <NoWay {...props} />}
    </>
  )
}

const PANELS = { BANK_TRANSFER: TransferPanel, USSD: UssdPanel, CARD: CardPanel }

/** Whether the provider has said how to pay. */
const hasStarted = ({ account, ussd, hosted }: PaymentAttempt) =>
  account !== undefined || ussd !== undefined || hosted !== undefined

function LastAttempt({ t, payment }: Omit<WaysProps, 'view' | 'format'>) {
  if (!payment) return null
  if (payment.outcome === 'Failed') {
    return (
      <Notice tone="bad" icon="alert" heading={t.failed.heading}>
        {/* The provider's own wording. */}
        {payment.message && <p lang="en">{payment.message}</p>}
        <p>{t.failed.text}</p>
      </Notice>
    )
  }
  if (payment.outcome === 'Pending') {
    return (
      <Notice tone="waiting" icon="clock" heading={t.notStarted.heading}>
        <p>{t.notStarted.text}</p>
      </Notice>
    )
  }
  const words = {
    BANK_TRANSFER: t.abandoned.transfer,
    USSD: t.abandoned.ussd,
    CARD: t.abandoned.card,
  }
  return (
    <Notice tone="waiting" icon="clock" heading={t.abandoned.heading}>
      <p>{words[payment.channel]}</p>
    </Notice>
  )
}

function NoWay({ t, merchant, manual }: Pick<WaysProps, 't' | 'merchant' | 'manual'>) {
  if (manual) return <Manual t={t} merchant={merchant} manual={manual} />
  return (
    <Notice tone="plain" icon="bank" heading={t.noWay.heading}>
      <p>{t.noWay.text(merchant)}</p>
    </Notice>
  )
}

/** The business marks the invoice as paid manually. */
const Manual = ({
  t,
  merchant,
  manual,
}: Pick<WaysProps, 't' | 'merchant'> & { manual: NonNullable<WaysProps['manual']> }) => (
  <section class="card" aria-labelledby="way">
    <h2 id="way">{t.manual.heading}</h2>
    <dl class="copies">
      <CopyField t={t} id="copy-number" name={t.transfer.number} value={manual.accountNumber}>
        <GroupedDigits digits={manual.accountNumber} />
      </CopyField>
      <DetailRow name={t.transfer.bank} value={manual.bankName} />
      <DetailRow name={t.transfer.accountName} value={manual.accountName} />
    </dl>
    {manual.instructions && <p {...noTranslate}>{manual.instructions}</p>}
    <p class="fine">{t.manual.text(merchant, manual.reference)}</p>
  </section>
)
