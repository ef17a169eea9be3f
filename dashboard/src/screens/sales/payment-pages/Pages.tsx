import { Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { choice } from '../../../ui/Filters.tsx'
import { ListPage, STATUS } from '../../../ui/ListPage.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { Money, When } from '../../../ui/values.tsx'
import { priceOf } from './values.ts'

export function Pages() {
  const may = usePermission()
  const go = useGo()
  const create = may('payment_pages:write') && (
    <ActionButton icon={IconPlus} label="New page" isMain onClick={() => go('pages/new')} />
  )
  return (
    <ListPage
      title="Payment pages"
      operation="list_payment_pages"
      search="searchPageText"
      actions={create}
      filters={[
        choice('status', 'Status', ['Published', 'Unpublished']),
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
        text: 'Create a page where people pay you for a product, a fee or a donation. Share its link anywhere; you don’t need a website.',
        action: create,
      }}
    />
  )
}
