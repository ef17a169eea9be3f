import { Button, Stack, Text } from '@mantine/core'
import { IconBolt } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { UtilityCategory } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { AMOUNT, STATUS, WHEN } from '../../parts/columns.tsx'
import { DAYS } from '../../parts/Filters.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Copyable, short, words } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useHref } from '../../shell/where.ts'
import { t } from '../../texts/utility.ts'
import type { Bill } from './types.ts'

export function Utility() {
  const may = useMay()
  const href = useHref()
  const categories = useRead<Envelope<UtilityCategory[]>>('payment-service/utility/categories')
  const pay = may('utility:write') && (
    <Button component={Link} to={href('utility/new')} leftSection={<IconBolt size={16} />}>
      {t.payABill}
    </Button>
  )
  return (
    <ListPage<Bill>
      title={t.billsAndAirtime}
      actions={pay}
      path="payment-service/utility/transactions"
      csv="payment-service/utility/transactions/export"
      search="search"
      searchFor={t.referenceNumberOrName}
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: t.status,
          options: ['Pending', 'Successful', 'Failed'],
        },
        {
          kind: 'choice',
          name: 'category',
          label: t.kind,
          options: (categories.data?.data ?? []).map(({ slug, name }) => ({
            value: slug,
            label: name,
          })),
        },
        ...DAYS,
      ]}
      columns={[
        AMOUNT,
        STATUS,
        { label: t.what, cell: (bill) => <What of={bill} />, onPhone: 'below' },
        { label: t.whom, cell: (bill) => <Customer of={bill} />, onPhone: 'below' },
        {
          label: t.reference,
          cell: ({ paymentReference: its }) => <Copyable text={its} shown={short(its)} />,
        },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `utility/${reference}`}
      empty={{
        title: t.noBillsPaidYet,
        text: t.payForAirtimeDataElectricity,
        ...(pay && { action: pay }),
      }}
    />
  )
}

function What({ of }: { of: Bill }) {
  return (
    <Stack gap={0}>
      <span>{of.packageName}</span>
      <Text span size="xs" c="dimmed">
        {words(of.category)}
      </Text>
    </Stack>
  )
}

function Customer({ of }: { of: Bill }) {
  return (
    <Stack gap={0}>
      <span>{of.customerName}</span>
      <Text span size="xs" c="dimmed">
        {of.customerId}
      </Text>
    </Stack>
  )
}
