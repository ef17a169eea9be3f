import { Button, Text } from '@mantine/core'
import { IconFileInvoice } from '@tabler/icons-react'
import { Link, useParams } from '@tanstack/react-router'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { AMOUNT, STATUS } from '../../parts/columns.tsx'
import { Card, DetailPage } from '../../parts/DetailPage.tsx'
import { dayOf } from '../../parts/days-typed.ts'
import { Figures } from '../../parts/Figures.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Copyable, channelName, money, orderNumber, short, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useHref } from '../../shell/where.ts'
import { t } from '../../texts/customers.ts'
import type { CustomerRecord, Done } from './types.ts'

/** One customer, with what they did, newest first. */
export function Customer() {
  const { email } = useParams({ strict: false }) as { email: string }
  const read = useRead<Envelope<CustomerRecord>>(`/console/customers/${encodeURIComponent(email)}`)
  const may = useMay()
  const href = useHref()
  const customer = read.data?.data
  const billed = {
    email,
    ...(customer?.name && { name: customer.name }),
    ...(customer?.phone && { phone: customer.phone }),
  }
  return (
    <DetailPage
      back={{ to: 'customers', label: t.customers }}
      title={<span className="breaks">{customer?.name ?? email}</span>}
      actions={
        may('invoices:write') && (
          <Button
            component={Link}
            to={href('invoices/new')}
            search={billed as never}
            variant="default"
            leftSection={<IconFileInvoice size={16} />}
          >
            {t.newInvoice}
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
              { label: t.paid, value: money(customer.paid, customer.currency) },
              { label: t.payments, value: customer.payments.toLocaleString('en-NG') },
              { label: t.firstSeen, value: dayOf(customer.firstAt) },
              { label: t.lastSeen, value: dayOf(customer.lastAt) },
            ]}
          />
          <List title={t.payments} of={customer.lastPayments} screen="payments" isPayment />
          <List title={t.invoices} of={customer.lastInvoices} screen="invoices" />
          <List title={t.orders} of={customer.lastOrders} screen="orders" />
        </>
      )}
    </DetailPage>
  )
}

const nameOf = (screen: string, reference: string): string =>
  screen === 'orders' ? orderNumber(reference) : short(reference)

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
        <Text c="dimmed">{t.noYet(title.toLowerCase())}</Text>
      ) : (
        <Rows<Done>
          title={title}
          path=""
          columns={[
            AMOUNT,
            STATUS,
            ...(isPayment
              ? [{ label: t.paidBy, cell: ({ channel }: Done) => channelName(channel) }]
              : []),
            {
              label: isPayment ? t.reference : t.number,
              cell: ({ reference, number }) => number ?? nameOf(screen, reference),
            },
            {
              label: t.when,
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
