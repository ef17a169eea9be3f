import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, Money, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/customers.ts'
import type { CustomerLine } from './types.ts'

/** Whoever paid, was billed or ordered. */
export function Customers() {
  const may = useMay()
  const go = useGo()
  const bill = may('invoices:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go('invoices/new')}>
      {t.newInvoice}
    </Button>
  )
  return (
    <ListPage<CustomerLine>
      title={t.customers}
      path="/console/customers"
      search="search"
      columns={[
        {
          label: t.customer,
          cell: ({ name, email }) => <Clip text={name ?? email} also={email} />,
        },
        {
          label: t.email,
          cell: ({ email }) => <Clip text={email} />,
          onPhone: 'below',
          isWide: true,
        },
        {
          label: t.paid,
          cell: ({ paid, currency }) => <Money amount={paid} currency={currency} />,
          align: 'right',
          onPhone: true,
        },
        { label: t.payments, cell: ({ payments }) => payments, align: 'right' },
        { label: t.invoices, cell: ({ invoices }) => invoices, align: 'right' },
        { label: t.orders, cell: ({ orders }) => orders, align: 'right' },
        {
          label: t.lastSeen,
          cell: ({ lastAt }) => <When at={lastAt} />,
          align: 'right',
          onPhone: 'below',
        },
      ]}
      keyOf={({ email }) => email}
      hrefOf={({ email }) => `customers/${encodeURIComponent(email)}`}
      empty={{
        title: t.noCustomersYet,
        text: t.everybodyWhoPaysOrdersOr,
        action: bill,
      }}
    />
  )
}
