import { Button, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { PaymentPage } from '../../../../sdk/src/operations.ts'
import { STATUS } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Money, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { priceOf } from './values.ts'

export function Pages() {
  const may = useMay()
  const go = useGo()
  const create = may('payment_pages:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go('pages/new')}>
      New page
    </Button>
  )
  return (
    <ListPage<PaymentPage>
      title="Payment pages"
      path="payment-service/payment-pages/get-pages"
      search="searchPageText"
      actions={create}
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: 'Status',
          options: ['Published', 'Unpublished'],
        },
        { kind: 'day', name: 'startDate', label: 'From' },
        { kind: 'day', name: 'endDate', label: 'To' },
      ]}
      columns={[
        { label: 'Title', cell: ({ title }) => <span className="breaks">{title}</span> },
        {
          label: 'Price',
          cell: (page) => (
            <Text span inherit c="dimmed">
              {priceOf(page)}
            </Text>
          ),
          onPhone: 'below',
        },
        STATUS,
        {
          label: 'Views',
          cell: ({ stats }) => stats.views.toLocaleString('en-NG'),
          align: 'right',
        },
        {
          label: 'Payments',
          cell: ({ stats }) => stats.payments.toLocaleString('en-NG'),
          align: 'right',
        },
        {
          label: 'Received',
          cell: ({ stats, currency }) => <Money amount={stats.amount} currency={currency} />,
          onPhone: true,
          align: 'right',
        },
        { label: 'Created', cell: ({ createdAt }) => <When at={createdAt} />, align: 'right' },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `pages/${id}`}
      empty={{
        title: 'No payment pages yet',
        text: 'A page where people pay you: for a product, a fee or a donation. Share its link anywhere; no website is needed.',
        action: create,
      }}
    />
  )
}
