import { Alert, Button, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconReceiptRefund, IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, call } from '../../api/call.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Simulated } from '../../parts/Simulated.tsx'
import { Timeline } from '../../parts/Timeline.tsx'
import { Copyable, channelName, Json, money, Status, When, words } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { ofPayment } from '../simulator/outcomes.ts'
import { RefundForm } from './RefundForm.tsx'
import { Refunds } from './Refunds.tsx'
import { Shares } from './Shares.tsx'
import { type Payment as Record, refundableOf } from './types.ts'

export function Payment() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const { payment, read } = usePayment(reference)
  const [isRefunding, refunding] = useDisclosure(false)
  const may = useMay()
  const isRefundable =
    payment &&
    payment.channel !== 'OFFLINE' &&
    ['Successful', 'PartiallyRefunded'].includes(payment.status) &&
    refundableOf(payment) > 0
  const isOpen = payment && ['Pending', 'Abandoned'].includes(payment.status)
  return (
    <DetailPage
      back={{ to: 'payments', label: 'Payments' }}
      title={payment && money(payment.amount, payment.currency)}
      status={<Status of={payment?.status} />}
      read={read}
      actions={
        <>
          {isOpen && <Ask reference={payment.reference} />}
          {isRefundable && may('refunds:write') && (
            <Button
              variant="default"
              leftSection={<IconReceiptRefund size={16} />}
              onClick={refunding.open}
            >
              Refund
            </Button>
          )}
        </>
      }
    >
      {payment && (
        <>
          <Notes of={payment} />
          <Simulated of={payment.reference} kind="ussd" outcomes={ofPayment(payment)} />
          <div className="beside">
            <Stack gap="lg">
              <PaymentFacts of={payment} />
              {payment.split.length > 0 && <Shares of={payment} />}
              {may('refunds:read') && <Refunds of={payment} />}
              {payment.metadata && (
                <Card title="Metadata">
                  <Json value={payment.metadata} />
                </Card>
              )}
            </Stack>
            <Card title="What happened">
              <Timeline
                steps={payment.timeline.map(({ status, at, message }) => ({
                  title: words(status),
                  at,
                  text: message,
                }))}
              />
            </Card>
          </div>
          <RefundForm of={payment} opened={isRefunding} onClose={refunding.close} />
        </>
      )}
    </DetailPage>
  )
}

/** By its reference, or by its number, which others may name it by. */
function usePayment(reference: string) {
  const isNumber = /^\d+$/.test(reference)
  const one = useRead<Envelope<Record>>(`transaction-service/fetch/${reference}`, {}, isNumber)
  const found = useRead<Envelope<Record[]>>(
    'transaction-service/transactions',
    { reference, limit: 1 },
    !isNumber,
  )
  if (isNumber) return { payment: one.data?.data, read: one }
  const [payment] = found.data?.data ?? []
  const isMissing = found.data && !payment
  const error = isMissing
    ? new ApiError('There is no such payment.', { status: 404, code: 'transaction_not_found' })
    : found.error
  return { payment, read: { ...found, error, data: payment } }
}

/** What a reader should know before anything else. */
function Notes({ of: { late, overpaidAmount, currency, status, message } }: { of: Record }) {
  return (
    <>
      {overpaidAmount > 0 && (
        <Alert color="yellow" title={`${money(overpaidAmount, currency)} too much was paid`}>
          It is kept for the payer, who is owed it: a refund gives it back first.
        </Alert>
      )}
      {late && (
        <Alert color="yellow" title="Paid late">
          The money came after the time to pay had run out.
        </Alert>
      )}
      {status === 'Failed' && message && (
        <Alert color="red" title="Why it failed">
          {message}
        </Alert>
      )}
    </>
  )
}

function PaymentFacts({ of: payment }: { of: Record }) {
  const { customer, currency } = payment
  const bearer = { customer: 'the payer', business: 'you', subaccounts: 'the subaccounts' }
  const fees = `${money(payment.fees, currency)}, borne by ${
    bearer[payment.feeBearer as keyof typeof bearer] ?? payment.feeBearer
  }`
  return (
    <Card title="Payment">
      <Facts
        of={{
          Reference: <Copyable text={payment.reference} />,
          Payer: customer.name ?? customer.email ?? 'Not known',
          'E-mail': customer.email ?? undefined,
          Phone: customer.phone ?? undefined,
          'Paid by': channelName(payment.channel),
          Amount: money(payment.amount, currency),
          Fee: fees,
          Received: payment.paidAmount === null ? undefined : money(payment.paidAmount, currency),
          'Yours after fees': money(payment.netAmount, currency),
          Refunded:
            payment.refundedAmount > 0 ? money(payment.refundedAmount, currency) : undefined,
          Invoice: payment.invoiceReference ? (
            <ScreenLink to={`invoices/${payment.invoiceReference}`}>
              {payment.invoiceReference}
            </ScreenLink>
          ) : undefined,
          Order:
            payment.orderId === null ? undefined : (
              <ScreenLink to="orders" search={{ search: String(payment.orderId) }}>
                {payment.orderId}
              </ScreenLink>
            ),
          Page:
            payment.pageId === null || payment.pageId === payment.splitPageId ? undefined : (
              <ScreenLink to={`pages/${payment.pageId}`}>{payment.pageId}</ScreenLink>
            ),
          'Bank’s answer': payment.gatewayResponse ?? undefined,
          Message: payment.message ?? undefined,
          Started: <When at={payment.createdAt} />,
          Paid: payment.paidAt ? <When at={payment.paidAt} /> : undefined,
          'Pay before': payment.status === 'Pending' ? <When at={payment.expiresAt} /> : undefined,
        }}
      />
    </Card>
  )
}

/** Asks the provider what became of a payment that is still open. */
function Ask({ reference }: { reference: string }) {
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const ask = async () => {
    setAsking(true)
    await call(`transaction-service/transactions/verify/${reference}`).catch((error: Error) =>
      notifications.show({ message: error.message, color: 'red' }),
    )
    await queries.invalidateQueries()
    setAsking(false)
  }
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={16} />}
      loading={isAsking}
      onClick={() => void ask()}
    >
      Ask the bank again
    </Button>
  )
}
