import { useParams } from '@tanstack/react-router'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { Copyable, Money, money, Status, When } from '../../parts/values.tsx'
import type { Payment as Record } from './types.ts'

export function Payment() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead<Envelope<Record>>(`transaction-service/transaction/${reference}`)
  const payment = read.data?.data
  return (
    <DetailPage
      back={{ to: 'payments', label: 'Payments' }}
      title={payment && money(payment.amount, payment.currency)}
      status={<Status of={payment?.status} />}
      read={read}
    >
      {payment && (
        <Card title="Payment">
          <Facts
            of={{
              Reference: <Copyable text={payment.reference} />,
              Amount: <Money amount={payment.amount} currency={payment.currency} />,
              'Paid by': payment.channel,
              Payer: payment.customerName ?? payment.customerEmail,
              Begun: <When at={payment.createdAt} />,
            }}
          />
        </Card>
      )}
    </DetailPage>
  )
}
