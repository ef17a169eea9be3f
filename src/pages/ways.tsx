import { Choice } from './choice.tsx'
import { Notice } from './components.tsx'
import type { PayProps } from './pay-panels.tsx'
import { TransferPanel, UssdPanel } from './pay-panels.tsx'
import type { PaymentAttempt } from './views.ts'

interface WaysProps extends PayProps {
  /** The open attempt, or the last one when it ended without success. */
  payment: PaymentAttempt | undefined
  merchant: string
}

/** The payment that is waited for, or the ways to pay. */
export function Ways(props: WaysProps) {
  const { view, payment } = props
  if (payment?.outcome === 'Pending') {
    const Waiting = payment.channel === 'USSD' ? UssdPanel : TransferPanel
    return <Waiting {...props} payment={payment} />
  }
  return (
    <>
      <LastAttempt {...props} />
      {view.channels.length > 0 ? <Choice {...props} /> : <NoWay {...props} />}
    </>
  )
}

/** Why the payer is asked to choose again. */
function LastAttempt({ t, payment }: Omit<WaysProps, 'view' | 'format'>) {
  if (!payment) return null
  if (payment.outcome === 'Failed') {
    return (
      <Notice tone="bad" icon="alert" heading={t.failed.heading}>
        {/* In the provider's words. */}
        {payment.message && <p lang="en">{payment.message}</p>}
        <p>{t.failed.text}</p>
      </Notice>
    )
  }
  return (
    <Notice tone="waiting" icon="clock" heading={t.abandoned.heading}>
      <p>{payment.channel === 'USSD' ? t.abandoned.ussd : t.abandoned.transfer}</p>
    </Notice>
  )
}

const NoWay = ({ t, merchant }: Pick<WaysProps, 't' | 'merchant'>) => (
  <Notice tone="plain" icon="bank" heading={t.noWay.heading}>
    <p>{t.noWay.text(merchant)}</p>
  </Notice>
)
