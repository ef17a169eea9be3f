import { Button, Text } from '@mantine/core'
import { IconFileInvoice } from '@tabler/icons-react'
import { Link, useParams } from '@tanstack/react-router'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { STATUS } from '../../parts/columns.tsx'
import { Card, DetailPage } from '../../parts/DetailPage.tsx'
import { Figures } from '../../parts/Figures.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Copyable, channelName, dayOf, Money, money, short, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useHref } from '../../shell/where.ts'
import type { CustomerRecord, Done } from './types.ts'

/** One customer, with what they did, newest first. */
export function Customer() {
  const { email } = useParams({ strict: false }) as { email: string }
  const read = useRead<Envelope<CustomerRecord>>(`/console/customers/${encodeURIComponent(email)}`)
  const may = useMay()
  const href = useHref()
  const customer = read.data?.data
  return (
    <DetailPage
      back={{ to: 'customers', label: 'Customers' }}
      title={<span className="breaks">{customer?.name ?? email}</span>}
      actions={
        may('invoices:write') && (
          <Button
            component={Link}
            to={href('invoices/new')}
            variant="default"
            leftSection={<IconFileInvoice size={16} />}
          >
            New invoice
          </Button>
        )
      }
      read={read}
    >
      {customer && (
        <>
          <div>
            <Copyable text={customer.email} />
          </div>
          <Figures
            of={[
              { label: 'Paid', value: money(customer.paid, customer.currency) },
              { label: 'Payments', value: customer.payments.toLocaleString('en-NG') },
              { label: 'First seen', value: dayOf(customer.firstAt) },
              { label: 'Last seen', value: dayOf(customer.lastAt) },
            ]}
          />
          <List title="Payments" of={customer.lastPayments} screen="payments" isPayment />
          <List title="Invoices" of={customer.lastInvoices} screen="invoices" />
          <List title="Orders" of={customer.lastOrders} screen="orders" />
        </>
      )}
    </DetailPage>
  )
}

function List({
  title,
  of: rows,
  screen,
  isPayment = false,
}: {
  title: string
  of: Done[] | null
  screen: string
  isPayment?: boolean
}) {
  if (!rows) return null
  return (
    <Card title={title}>
      {rows.length === 0 ? (
        <Text c="dimmed">No {title.toLowerCase()} yet.</Text>
      ) : (
        <Rows<Done>
          title={title}
          path=""
          columns={[
            {
              label: 'Amount',
              cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
            },
            STATUS,
            ...(isPayment
              ? [{ label: 'Paid by', cell: ({ channel }: Done) => channelName(channel) }]
              : []),
            { label: 'Reference', cell: ({ reference }) => short(reference) },
            {
              label: 'When',
              cell: ({ createdAt }) => <When at={createdAt} />,
              align: 'right',
              onPhone: 'below',
            },
          ]}
          rows={rows}
          keyOf={({ reference }) => reference}
          hrefOf={({ reference }) => `${screen}/${reference}`}
          empty={{ title: '', text: '' }}
        />
      )}
    </Card>
  )
}
