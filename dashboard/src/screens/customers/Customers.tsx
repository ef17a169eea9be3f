import { Button, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, Money, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import type { CustomerLine } from './types.ts'

/** Whoever paid, was billed or ordered. */
export function Customers() {
  const may = useMay()
  const go = useGo()
  const bill = may('invoices:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go('invoices/new')}>
      New invoice
    </Button>
  )
  return (
    <ListPage<CustomerLine>
      title="Customers"
      path="/console/customers"
      search="search"
      columns={[
        { label: 'Customer', cell: (customer) => <Who of={customer} /> },
        {
          label: 'Paid',
          cell: ({ paid, currency }) => <Money amount={paid} currency={currency} />,
          align: 'right',
          onPhone: true,
        },
        { label: 'Payments', cell: ({ payments }) => payments, align: 'right' },
        { label: 'Invoices', cell: ({ invoices }) => invoices, align: 'right' },
        { label: 'Orders', cell: ({ orders }) => orders, align: 'right' },
        {
          label: 'Last seen',
          cell: ({ lastAt }) => <When at={lastAt} />,
          align: 'right',
          onPhone: 'below',
        },
      ]}
      keyOf={({ email }) => email}
      hrefOf={({ email }) => `customers/${encodeURIComponent(email)}`}
      empty={{
        title: 'No customers yet',
        text: 'Everybody who pays, orders or gets an invoice appears here, by their e-mail address.',
        action: bill,
      }}
    >
      <Text size="sm" c="dimmed">
        Everybody in your newest 5,000 payments, invoices and orders. Search to find earlier ones.
      </Text>
    </ListPage>
  )
}

function Who({ of: { name, email } }: { of: CustomerLine }) {
  return (
    <Stack gap={0}>
      <Clip text={name ?? email} />
      {name && (
        <Text span size="xs" c="dimmed">
          <Clip text={email} />
        </Text>
      )}
    </Stack>
  )
}
