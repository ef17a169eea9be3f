import { Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { Invoice } from '../../../../../sdk/src/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { choice } from '../../../ui/Filters.tsx'
import { AMOUNT, ListPage } from '../../../ui/ListPage.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { dayOf } from '../../../ui/typed-days.ts'
import { money, Truncated, When } from '../../../ui/values.tsx'
import { States } from './InvoiceParts.tsx'

export function Invoices() {
  const may = usePermission()
  const go = useGo()
  const create = may('invoices:write') && (
    <ActionButton icon={IconPlus} label="New invoice" isMain onClick={() => go('invoices/new')} />
  )
  return (
    <ListPage
      title="Invoices"
      operation="list_invoices"
      search="search"
      csv="export_invoices"
      actions={create}
      filters={[
        choice('status', 'Status', [
          'Draft',
          'Sent',
          'Overdue',
          { value: 'PartiallyPaid', label: 'Partially paid' },
          'Paid',
          'Void',
        ]),
        { kind: 'day', name: 'startDate', label: 'From' },
        { kind: 'day', name: 'endDate', label: 'To' },
      ]}
      columns={[
        {
          label: 'Customer',
          cell: ({ customerName, customerEmail }) => (
            <Truncated text={customerName ?? customerEmail} also={customerEmail} />
          ),
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
        { ...AMOUNT, label: 'Amount', onPhone: true },
        {
          label: 'Amount due',
          align: 'right',
          cell: (invoice) => <span className="whole">{dueOf(invoice)}</span>,
          isWide: true,
        },
        { label: 'Status', cell: (invoice) => <States of={invoice} />, onPhone: true },
        {
          label: 'Due date',
          cell: ({ dueDate }) => <span className="whole">{dayOf(dueDate)}</span>,
          isWide: true,
        },
        { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} />, align: 'right' },
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `invoices/${reference}`}
      empty={{
        title: 'No invoices yet',
        text: 'Send an invoice by email. Your customer opens the invoice’s payment page and pays there.',
        action: create,
      }}
    />
  )
}

const dueOf = ({ amountDue, currency, status }: Invoice): string =>
  ['Sent', 'PartiallyPaid'].includes(status) ? money(amountDue, currency) : '–'
