import { Button, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { Invoice } from '../../../../sdk/src/operations.ts'
import { dayOf } from '../../parts/days-typed.ts'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, Money, money, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/invoices.ts'
import { States } from './InvoiceParts.tsx'

export function Invoices() {
  const may = useMay()
  const go = useGo()
  const create = may('invoices:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go('invoices/new')}>
      {t.newInvoice}
    </Button>
  )
  return (
    <ListPage<Invoice>
      title={t.invoices}
      path="payment-service/invoices"
      search="search"
      csv="payment-service/invoices/export"
      actions={create}
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: t.status,
          options: [
            'Draft',
            'Sent',
            'Overdue',
            { value: 'PartiallyPaid', label: t.partiallyPaid },
            'Paid',
            'Void',
          ],
        },
        { kind: 'day', name: 'startDate', label: t.from },
        { kind: 'day', name: 'endDate', label: t.to },
      ]}
      columns={[
        {
          label: t.customer,
          cell: ({ customerName, customerEmail }) => (
            <Clip text={customerName ?? customerEmail} also={customerEmail} />
          ),
        },
        {
          label: t.number,
          cell: ({ invoiceNumber }) => (
            <Text span inherit c="dimmed" className="whole">
              {invoiceNumber}
            </Text>
          ),
          onPhone: 'below',
        },
        {
          label: t.amount,
          align: 'right',
          cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          onPhone: true,
        },
        {
          label: t.amountDue,
          align: 'right',
          cell: (invoice) => <span className="whole">{dueOf(invoice)}</span>,
          isWide: true,
        },
        { label: t.status, cell: (invoice) => <States of={invoice} />, onPhone: true },
        {
          label: t.due,
          cell: ({ dueDate }) => <span className="whole">{dayOf(dueDate)}</span>,
          isWide: true,
        },
        { label: t.created, cell: ({ createdAt }) => <When at={createdAt} />, align: 'right' },
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `invoices/${reference}`}
      empty={{
        title: t.noInvoicesYet,
        text: t.sendSomebodyAnInvoiceThey,
        action: create,
      }}
    />
  )
}

const dueOf = ({ amountDue, currency, status }: Invoice): string =>
  ['Sent', 'PartiallyPaid'].includes(status) ? money(amountDue, currency) : '–'
