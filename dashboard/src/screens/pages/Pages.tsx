import { Button, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { PaymentPage } from '../../../../sdk/src/operations.ts'
import { STATUS } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Money, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useGo } from '../../shell/where.ts'
import { t } from '../../texts/pages.ts'
import { priceOf } from './values.ts'

export function Pages() {
  const may = useMay()
  const go = useGo()
  const create = may('payment_pages:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go('pages/new')}>
      {t.newPage}
    </Button>
  )
  return (
    <ListPage<PaymentPage>
      title={t.paymentPages}
      path="payment-service/payment-pages/get-pages"
      search="searchPageText"
      actions={create}
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: t.status,
          options: ['Published', 'Unpublished'],
        },
        { kind: 'day', name: 'startDate', label: t.from },
        { kind: 'day', name: 'endDate', label: t.to },
      ]}
      columns={[
        { label: t.title, cell: ({ title }) => <span className="breaks">{title}</span> },
        {
          label: t.price,
          cell: (page) => (
            <Text span inherit c="dimmed">
              {priceOf(page)}
            </Text>
          ),
          onPhone: 'below',
        },
        STATUS,
        {
          label: t.views,
          cell: ({ stats }) => stats.views.toLocaleString('en-NG'),
          align: 'right',
        },
        {
          label: t.payments,
          cell: ({ stats }) => stats.payments.toLocaleString('en-NG'),
          align: 'right',
        },
        {
          label: t.received,
          cell: ({ stats, currency }) => <Money amount={stats.amount} currency={currency} />,
          onPhone: true,
          align: 'right',
        },
        { label: t.created, cell: ({ createdAt }) => <When at={createdAt} />, align: 'right' },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `pages/${id}`}
      empty={{
        title: t.noPaymentPagesYet,
        text: t.aPageWherePeoplePay,
        action: create,
      }}
    />
  )
}
