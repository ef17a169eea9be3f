import { Alert, Stack, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconReceiptRefund, IconRefresh } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, callOperation } from '../../api/call.ts'
import { useOperation } from '../../api/hooks.ts'
import { usePermission } from '../../api/permissions.ts'
import { ActionButton } from '../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts, Related } from '../../ui/DetailPage.tsx'
import { useIsPhone } from '../../ui/Filters.tsx'
import { CustomerLink, NameOf, OrderLink, ScreenLink, SubaccountLink } from '../../ui/links.tsx'
import { ofPayment, SimulateOutcome } from '../../ui/SimulateOutcome.tsx'
import { channelName, Json, money, Status } from '../../ui/values.tsx'
import { ProviderCard } from '../business/providers/ProviderCard.tsx'
import { netLeftOf } from './amounts.ts'
import { senderOf, stateOf } from './deposits/names.ts'
import { DisputesOfPayment, SimulateDispute } from './disputes/OfPayment.tsx'
import { PaymentHistory } from './PaymentHistory.tsx'
import { type Payment as PaymentRecord, payerOf, RefundForm, useRefundable } from './RefundForm.tsx'

export function Payment() {
  const { reference } = useParams({ from: '/$mode/payments/$reference' })
  const { payment, read } = usePayment(reference)
  const { left } = useRefundable(payment)
  const [isRefunding, refunding] = useDisclosure(false)
  const may = usePermission()
  const isOpen = payment && ['Pending', 'Abandoned'].includes(payment.status)
  return (
    <DetailPage
      back={{ to: 'payments', label: 'Payments' }}
      title={payment && money(payment.amount, payment.currency)}
      name={payment && `${money(payment.amount, payment.currency)} · ${payerOf(payment)}`}
      status={<Status of={payment?.status} />}
      read={read}
      actions={
        <>
          {isOpen && <Ask reference={payment.reference} />}
          {left > 0 && may('refunds:write') && (
            <ActionButton icon={IconReceiptRefund} label="Refund" onClick={refunding.open} />
          )}
        </>
      }
    >
      {payment && (
        <>
          <Notes of={payment} />
          <SimulateOutcome
            of={payment.reference}
            kind={payment.channel === 'CARD' ? 'card' : 'ussd'}
            outcomes={ofPayment(payment)}
          />
          <SimulateDispute of={payment} />
          <div className="beside">
            <Stack gap="lg">
              <PaymentFacts of={payment} />
              <ProviderCard
                orders="get_payment_orders"
                id={payment.id}
                currency={payment.currency}
              />
              {payment.split.length > 0 && <Shares of={payment} />}
              {may('disputes:read') && <DisputesOfPayment of={payment} />}
              {may('refunds:read') && <Refunds of={payment} />}
              <Deposits of={payment} />
              {payment.metadata && (
                <Card title="Metadata">
                  <Json value={payment.metadata} />
                </Card>
              )}
            </Stack>
            <Card title="Timeline">
              <PaymentHistory of={payment} />
            </Card>
          </div>
          <RefundForm of={payment} opened={isRefunding} onClose={refunding.close} />
        </>
      )}
    </DetailPage>
  )
}

/**
 * Finds a payment by its reference or by its id, because links from other records can contain
 * either.
 */
function usePayment(reference: string) {
  const isNumber = /^\d+$/.test(reference)
  const one = useOperation('fetch_transaction', { id: reference }, { enabled: isNumber })
  const found = useOperation('list_transactions', { reference, limit: 1 }, { enabled: !isNumber })
  if (isNumber) return { payment: one.data?.data, read: one }
  const [payment] = found.data?.data ?? []
  const isMissing = found.data && !payment
  const error = isMissing
    ? new ApiError('This payment does not exist.', { status: 404, code: 'transaction_not_found' })
    : found.error
  return { payment, read: { ...found, error, data: payment } }
}

function Notes({ of: { late, overpaidAmount, currency, status, message } }: { of: PaymentRecord }) {
  return (
    <>
      {overpaidAmount > 0 && (
        <Alert color="yellow" title={`Overpaid by ${money(overpaidAmount, currency)}`}>
          We are holding this amount for the payer. If you refund the payment, this amount is
          returned first.
        </Alert>
      )}
      {late && (
        <Alert color="yellow" title="Paid after expiry">
          The money arrived after this payment had expired.
        </Alert>
      )}
      {status === 'Failed' && message && (
        <Alert color="red" title="The payment failed">
          {message}
        </Alert>
      )}
    </>
  )
}

function PaymentFacts({ of: payment }: { of: PaymentRecord }) {
  const { customer, currency } = payment
  const bearer = { customer: 'the payer', business: 'you', subaccounts: 'the subaccounts' }
  const fees = `${money(payment.fees, currency)} (paid by ${bearer[payment.feeBearer as keyof typeof bearer] ?? payment.feeBearer})`
  return (
    <Card title="Payment">
      <Facts>
        <Fact label="Reference" copy={payment.reference} />
        <Fact label="Payer" value={<CustomerLink of={customer} otherwise="Unknown" />} />
        <Fact label="Email" value={customer.name ? (customer.email ?? undefined) : undefined} />
        <Fact label="Phone number" value={customer.phone ?? undefined} />
        <Fact label="Payment method" value={channelName(payment.channel)} />
        <OwnAccount of={payment} />
        <Fact label="Amount" value={money(payment.amount, currency)} />
        <Fact label="Fee" value={fees} />
        <Fact
          label="Received"
          value={payment.paidAmount === null ? undefined : money(payment.paidAmount, currency)}
        />
        <Fact label="Net" value={money(netLeftOf(payment), currency)} />
        <Fact
          label="Refunded"
          value={payment.refundedAmount > 0 ? money(payment.refundedAmount, currency) : undefined}
        />
        <Fact
          label="Taken back"
          value={payment.reversedAmount > 0 ? money(payment.reversedAmount, currency) : undefined}
        />
        <Fact
          label="Invoice"
          value={
            payment.invoiceReference ? (
              <ScreenLink to={`invoices/${payment.invoiceReference}`}>
                <NameOf type="invoice" id={payment.invoiceReference} />
              </ScreenLink>
            ) : undefined
          }
        />
        <Fact
          label="Order"
          value={payment.orderId === null ? undefined : <OrderLink id={payment.orderId} />}
        />
        <Fact
          label="Page"
          value={
            payment.pageId === null || payment.pageId === payment.splitPageId ? undefined : (
              <ScreenLink to={`pages/${payment.pageId}`}>
                <NameOf type="page" id={payment.pageId} />
              </ScreenLink>
            )
          }
        />
        <Fact label="Bank response" value={payment.gatewayResponse ?? undefined} />
        <Fact label="Message" value={payment.message ?? undefined} />
        <Fact label="Started" at={payment.createdAt} />
        <Fact label="Paid" at={payment.paidAt} />
        <Fact label="Expires" at={payment.status === 'Pending' ? payment.expiresAt : undefined} />
      </Facts>
    </Card>
  )
}

function Ask({ reference }: { reference: string }) {
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const ask = async () => {
    setAsking(true)
    await callOperation('verify_transaction', { reference }).catch((error: Error) =>
      notifications.show({ message: error.message, color: 'red' }),
    )
    await queries.invalidateQueries()
    setAsking(false)
  }
  return (
    <ActionButton
      icon={IconRefresh}
      label="Check again"
      loading={isAsking}
      onClick={() => void ask()}
    />
  )
}

/** Hidden if there are no refunds. */
function Refunds({ of: { reference } }: { of: PaymentRecord }) {
  const { data } = useOperation('list_refunds', { transactionReference: reference, limit: 50 })
  const refunds = data?.data ?? []
  if (refunds.length === 0) return null
  return (
    <Card title="Refunds">
      <Stack gap="sm">
        {refunds.map((refund) => (
          <Related
            key={refund.reference}
            to={`refunds/${refund.reference}`}
            of={refund}
            note={refund.reason ?? 'No reason given'}
          />
        ))}
      </Stack>
    </Card>
  )
}

/** Hidden if no money has arrived that had to be recorded on its own. */
function Deposits({ of: { reference } }: { of: PaymentRecord }) {
  const { data } = useOperation('list_deposits', { transactionReference: reference, limit: 50 })
  const deposits = data?.data ?? []
  if (deposits.length === 0) return null
  return (
    <Card title="Deposits">
      <Stack gap="sm">
        {deposits.map((deposit) => (
          <Related
            key={deposit.reference}
            to={`deposits/${deposit.reference}`}
            of={{ ...deposit, status: stateOf(deposit) }}
            note={senderOf(deposit)}
          />
        ))}
      </Stack>
    </Card>
  )
}

/** The account number that the payer was shown. */
function OwnAccount({ of: { reference, channel } }: { of: PaymentRecord }) {
  const isTransfer = channel === 'BANK_TRANSFER'
  const { data } = useOperation(
    'list_virtual_accounts',
    { transactionReference: reference, limit: 1 },
    { enabled: isTransfer },
  )
  const account = isTransfer ? data?.data[0] : undefined
  return (
    <Fact
      label="Virtual account"
      value={
        account && (
          <ScreenLink to={`virtual-accounts/${account.id}`}>
            {account.accountNumber}, {account.bankName}
          </ScreenLink>
        )
      }
    />
  )
}

/** Lists the shares as agreed when the payment started. */
function Shares({ of }: { of: PaymentRecord }) {
  const isPhone = useIsPhone()
  return <Card title="Shares">{isPhone ? <Listed of={of} /> : <Tabled of={of} />}</Card>
}

function Tabled({ of: { split, currency } }: { of: PaymentRecord }) {
  return (
    <div className="rows">
      <Table aria-label="Shares">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Subaccount</Table.Th>
            <Table.Th ta="right">Share</Table.Th>
            <Table.Th ta="right">Fee</Table.Th>
            <Table.Th ta="right">Net</Table.Th>
            <Table.Th ta="right">Refunded</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {split.map(({ subaccountCode, amount, fee, netAmount, refundedAmount }) => (
            <Table.Tr key={subaccountCode}>
              <Table.Td>
                <SubaccountLink code={subaccountCode} />
              </Table.Td>
              <Table.Td ta="right">{money(amount, currency)}</Table.Td>
              <Table.Td ta="right">{money(fee, currency)}</Table.Td>
              <Table.Td ta="right">{money(netAmount, currency)}</Table.Td>
              <Table.Td ta="right">{money(refundedAmount, currency)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

/** On a phone, there is no room for five columns, so the details are below the net amount. */
function Listed({ of: { split, currency } }: { of: PaymentRecord }) {
  return split.map(({ subaccountCode, amount, fee, netAmount, refundedAmount }) => (
    <div key={subaccountCode} className="row-card">
      <div className="row-parts">
        <div className="row-words">
          <SubaccountLink code={subaccountCode} />
        </div>
        <Stack className="row-marks" gap={0} align="flex-end">
          <Text fw={600}>{money(netAmount, currency)}</Text>
          <Text size="sm" c="dimmed" ta="right">
            {money(amount, currency)}, fee {money(fee, currency)}
          </Text>
          {refundedAmount > 0 && (
            <Text size="sm" c="dimmed" ta="right">
              {money(refundedAmount, currency)} refunded
            </Text>
          )}
        </Stack>
      </div>
    </div>
  ))
}
