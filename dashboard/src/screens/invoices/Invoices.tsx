import { Button, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { Invoice } from '../../../../sdk/src/operations.ts'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, dayOf, Money, money, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { States } from './InvoiceParts.tsx'

export function Invoices() {
  const may = useMay()
  const go = useGo()
  const create = may('invoices:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go('invoices/new')}>
      New invoice
    </Button>
  )
  return (
    <ListPage<Invoice>
      title="Invoices"
      path="payment-service/invoices"
      search="search"
      csv="payment-service/invoices/export"
      actions={create}
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: 'Status',
          options: [
            'Draft',
            'Sent',
            'Overdue',
            { value: 'PartiallyPaid', label: 'Partially paid' },
            'Paid',
            'Void',
          ],
        },
        { kind: 'day', name: 'startDate', label: 'From' },
        { kind: 'day', name: 'endDate', label: 'To' },
      ]}
      columns={[
        {
          label: 'Customer',
          cell: ({ customerName, customerEmail }) => <Clip text={customerName ?? customerEmail} />,
        },
        {
          label: 'Number',
          cell: ({ invoiceNumber }) => (
            <Text span inherit c="dimmed" className="whole">
              {invoiceNumber}
            </Text>
          ),
          onPhone: 'below',
        },
        {
          label: 'Amount',
          align: 'right',
          cell: (invoice) => <Amount of={invoice} />,
          onPhone: true,
        },
        { label: 'Status', cell: (invoice) => <States of={invoice} />, onPhone: true },
        {
          label: 'Due',
          cell: ({ dueDate }) => <span className="whole">{dayOf(dueDate)}</span>,
        },
        { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} />, align: 'right' },
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `invoices/${reference}`}
      empty={{
        title: 'No invoices yet',
        text: 'Send somebody an invoice: they get it by e-mail, and pay it on a page of its own.',
        action: create,
      }}
    />
  )
}

function Amount({ of: { amount, amountPaid, currency, status } }: { of: Invoice }) {
  return (
    <Stack gap={0}>
      <Money amount={amount} currency={currency} />
      {status === 'PartiallyPaid' && (
        <Text span size="xs" c="dimmed">
          {money(amountPaid, currency)} paid
        </Text>
      )}
    </Stack>
  )
}
