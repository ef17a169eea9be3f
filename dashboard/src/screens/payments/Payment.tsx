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
import { CustomerLink, ScreenLink } from '../../parts/links.tsx'
import { NameOf } from '../../parts/names.tsx'
import { Simulated } from '../../parts/Simulated.tsx'
import { Timeline } from '../../parts/Timeline.tsx'
import { Copyable, channelName, Json, money, Status, When, words } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/payments.ts'
import { ofPayment } from '../simulator/outcomes.ts'
import { RefundForm } from './RefundForm.tsx'
import { Refunds } from './Refunds.tsx'
import { Shares } from './Shares.tsx'
import { isRefundable, netAfterRefundsOf, payerOf, type Payment as Record } from './types.ts'

export function Payment() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const { payment, read } = usePayment(reference)
  const [isRefunding, refunding] = useDisclosure(false)
  const may = useMay()
  const isOpen = payment && ['Pending', 'Abandoned'].includes(payment.status)
  return (
    <DetailPage
      back={{ to: 'payments', label: t.payments }}
      title={payment && money(payment.amount, payment.currency)}
      name={payment && `${money(payment.amount, payment.currency)} · ${payerOf(payment)}`}
      status={<Status of={payment?.status} />}
      read={read}
      actions={
        <>
          {isOpen && <Ask reference={payment.reference} />}
          {payment && isRefundable(payment) && may('refunds:write') && (
            <Button
              variant="default"
              leftSection={<IconReceiptRefund size={16} />}
              onClick={refunding.open}
            >
              {t.refund}
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
                <Card title={t.metadata}>
                  <Json value={payment.metadata} />
                </Card>
              )}
            </Stack>
            <Card title={t.whatHappened}>
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
        <Alert color="yellow" title={t.tooMuchWasPaid(money(overpaidAmount, currency))}>
          {t.itIsKeptForThe}
        </Alert>
      )}
      {late && (
        <Alert color="yellow" title={t.paidLate}>
          {t.theMoneyCameAfterThe}
        </Alert>
      )}
      {status === 'Failed' && message && (
        <Alert color="red" title={t.whyItFailed}>
          {message}
        </Alert>
      )}
    </>
  )
}

function PaymentFacts({ of: payment }: { of: Record }) {
  const { customer, currency } = payment
  const bearer = { customer: t.thePayer, business: 'you', subaccounts: t.theSubaccounts }
  const fees = t.borneBy(
    money(payment.fees, currency),
    bearer[payment.feeBearer as keyof typeof bearer] ?? payment.feeBearer,
  )
  return (
    <Card title={t.payment}>
      <Facts
        of={{
          [t.reference]: <Copyable text={payment.reference} />,
          [t.payer]: <CustomerLink of={customer} otherwise={t.notKnown} />,
          [t.eMail]: customer.name ? (customer.email ?? undefined) : undefined,
          [t.phone]: customer.phone ?? undefined,
          [t.paidBy]: channelName(payment.channel),
          [t.amount]: money(payment.amount, currency),
          [t.fee]: fees,
          [t.received]:
            payment.paidAmount === null ? undefined : money(payment.paidAmount, currency),
          [t.net]: money(netAfterRefundsOf(payment), currency),
          [t.refunded]:
            payment.refundedAmount > 0 ? money(payment.refundedAmount, currency) : undefined,
          [t.invoice]: payment.invoiceReference ? (
            <ScreenLink to={`invoices/${payment.invoiceReference}`}>
              <NameOf type="invoice" id={payment.invoiceReference} />
            </ScreenLink>
          ) : undefined,
          [t.order]:
            payment.orderId === null ? undefined : (
              <ScreenLink to="orders" search={{ search: String(payment.orderId) }}>
                <NameOf type="order" id={payment.orderId} />
              </ScreenLink>
            ),
          [t.page]:
            payment.pageId === null || payment.pageId === payment.splitPageId ? undefined : (
              <ScreenLink to={`pages/${payment.pageId}`}>
                <NameOf type="page" id={payment.pageId} />
              </ScreenLink>
            ),
          [t.banksAnswer]: payment.gatewayResponse ?? undefined,
          [t.message]: payment.message ?? undefined,
          [t.started]: <When at={payment.createdAt} />,
          [t.paid]: payment.paidAt ? <When at={payment.paidAt} /> : undefined,
          [t.payBefore]: payment.status === 'Pending' ? <When at={payment.expiresAt} /> : undefined,
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
      {t.askTheBankAgain}
    </Button>
  )
}
