import { Alert, Stack, Text } from '@mantine/core'
import { IconBolt, IconRefresh } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type {
  EnquireUtilityCustomerResponse,
  UtilityPayment as Paid,
} from '../../../../../sdk/src/operations.ts'
import { useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts, WithTimeline } from '../../../ui/DetailPage.tsx'
import { choice, DAYS } from '../../../ui/Filters.tsx'
import { AMOUNT, ListPage, STATUS, WHEN } from '../../../ui/ListPage.tsx'

import { ofBill, SimulateOutcome } from '../../../ui/SimulateOutcome.tsx'
import {
  Copyable,
  formatState,
  money,
  Status,
  sentence,
  shortReference,
  WithNote,
} from '../../../ui/values.tsx'
import { ProviderCard } from '../../business/providers/ProviderCard.tsx'
import { InLedger } from '../ledger/names.tsx'

export function Utility() {
  const may = usePermission()
  const categories = useOperation('list_utility_categories')
  const pay = may('utility:write') && (
    <ActionButton icon={IconBolt} label="Pay a bill" isMain to="utility/new" />
  )
  return (
    <ListPage
      title="Bills and airtime"
      actions={pay}
      operation="list_utility_payments"
      csv="export_utility_payments"
      search="search"
      searchFor="Reference, number or name"
      filters={[
        choice('status', 'Status', ['Pending', 'Successful', 'Failed']),
        choice(
          'category',
          'Kind',
          (categories.data?.data ?? []).map(({ slug, name }) => ({
            value: slug,
            label: name,
          })),
        ),
        ...DAYS,
      ]}
      columns={[
        AMOUNT,
        STATUS,
        {
          label: 'Description',
          cell: ({ packageName, category }) => (
            <WithNote note={formatState(category)}>{packageName}</WithNote>
          ),
          onPhone: 'below',
        },
        {
          label: 'Customer',
          cell: ({ customerName, customerId }) => (
            <WithNote note={customerId}>{customerName}</WithNote>
          ),
          onPhone: 'below',
        },
        {
          label: 'Reference',
          cell: ({ paymentReference: its }) => <Copyable text={its} shown={shortReference(its)} />,
        },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `utility/${reference}`}
      empty={{
        title: 'No bills paid yet',
        text: 'Pay for airtime, data, electricity, television and exam PINs from the wallet. Tokens and PINs are kept here.',
        ...(pay && { action: pay }),
      }}
    />
  )
}

export function UtilityPayment() {
  const { reference } = useParams({ from: '/$mode/utility/$reference' })
  const read = useOperation('get_utility_payment', { paymentReference: reference })
  const bill = read.data?.responseData
  return (
    <DetailPage
      back={{ to: 'utility', label: 'Bills and airtime' }}
      title={bill && money(bill.amount, bill.currency)}
      status={<Status of={bill?.status} />}
      read={read}
      actions={
        bill?.status === 'Pending' && (
          <ActionButton
            icon={IconRefresh}
            label="Check again"
            loading={read.isFetching}
            onClick={() => void read.refetch()}
          />
        )
      }
    >
      {bill && (
        <>
          <Notes of={bill} />
          <SimulateOutcome of={bill.reference} kind="utility" outcomes={ofBill(bill)} />
          <WithTimeline of={bill.timeline}>
            <Bought of={bill} />
            <BillFacts of={bill} />
            <ProviderCard
              orders="get_bill_orders"
              id={bill.transactionId}
              currency={bill.currency}
            />
          </WithTimeline>
        </>
      )}
    </DetailPage>
  )
}

function Notes({ of: { status, failureReason } }: { of: Bill }) {
  if (status === 'Pending') {
    return (
      <Alert color="yellow" title="The biller has not responded yet">
        The money is on hold. We will keep asking the biller until it confirms the outcome.
      </Alert>
    )
  }
  if (status !== 'Failed') return null
  return (
    <Alert color="red" title="The bill was not paid">
      {sentence(failureReason) ?? 'The biller gave no reason.'} The money is back in your wallet.
    </Alert>
  )
}

/** Shows the PINs, or the token to enter into a meter. */
function Bought({ of: { token, pins } }: { of: Bill }) {
  if (!token?.value && pins.length === 0) return null
  return (
    <Card title={token?.value ? 'Token' : pins.length === 1 ? 'Pin' : 'Pins'}>
      {token?.value && (
        <Stack gap={4}>
          <Text className="figure" component="div">
            <Copyable text={token.value} />
          </Text>
          {token.units !== undefined && <Text c="dimmed">{token.units} kWh</Text>}
        </Stack>
      )}
      <Stack gap="xs" align="flex-start">
        {pins.map((pin) => (
          <Copyable key={pin} text={pin} />
        ))}
      </Stack>
    </Card>
  )
}

function BillFacts({ of: bill }: { of: Bill }) {
  const { currency } = bill
  return (
    <Card title="Payment">
      <Facts>
        <Fact label="Description" value={bill.packageName} />
        <Fact label="Biller" value={bill.billerName} />
        <Fact label="Customer" value={bill.customerName} />
        <Fact label={CUSTOMER_NUMBER_LABELS[bill.category] ?? 'Number'} copy={bill.customerId} />
        <Fact label="Amount" value={money(bill.amount, currency)} />
        <Fact label="Fee" value={bill.fee > 0 ? money(bill.fee, currency) : undefined} />
        <Fact
          label="Taken from the wallet"
          value={bill.fee > 0 ? money(bill.total, currency) : undefined}
        />
        <Fact label="Phone number" value={bill.phoneNumber ?? undefined} />
        <Fact label="Email" value={bill.email ?? undefined} />
        <Fact label="Reference" copy={bill.reference} />
        <Fact
          label="Your reference"
          copy={bill.paymentReference === bill.reference ? undefined : bill.paymentReference}
        />
        <Fact label="Ledger entry" value={<InLedger reference={bill.reference} />} />
        <Fact label="Created" at={bill.createdAt} />
        <Fact label="Completed" at={bill.completedAt} />
      </Facts>
    </Card>
  )
}

type Bill = Paid['responseData']

export type Enquiry = EnquireUtilityCustomerResponse['responseData']

/** The label of the customer number, by kind of biller. */
export const CUSTOMER_NUMBER_LABELS: Record<string, string> = {
  airtime: 'Phone number',
  data: 'Phone number',
  electricity: 'Meter number',
  television: 'Smart card number',
  exams: 'Candidate number or phone number',
}
