import { IconPlus } from '@tabler/icons-react'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { choice, DAYS } from '../../../ui/Filters.tsx'
import { AMOUNT, ListPage, WHEN } from '../../../ui/ListPage.tsx'
import {
  Copyable,
  channelName,
  Status,
  shortReference,
  Truncated,
  When,
} from '../../../ui/values.tsx'

/** What customers have started to buy or pay, and payment links. */
export function Checkouts() {
  const may = usePermission()
  const take = may('checkout:write') && (
    <ActionButton icon={IconPlus} label="New payment link" isMain to="payments/new" />
  )
  return (
    <ListPage
      title="Checkouts"
      actions={take}
      operation="list_checkouts"
      search="search"
      searchFor="Reference or email address"
      filters={[choice('state', 'Status', ['Open', 'Paid', 'Expired', 'Cancelled']), ...DAYS]}
      columns={[
        AMOUNT,
        { label: 'Status', cell: ({ state }) => <Status of={state} />, onPhone: true },
        {
          label: 'Customer',
          cell: ({ customer }) => (
            <Truncated text={customer.name ?? customer.email} also={customer.email} />
          ),
          onPhone: 'below',
        },
        {
          label: 'Payment methods',
          cell: ({ channels }) => channels.map(channelName).join(', ') || '–',
          isWide: true,
        },
        {
          label: 'Expires',
          cell: ({ state, expiresAt }) => (state === 'Open' ? <When at={expiresAt} /> : '–'),
        },
        {
          label: 'Reference',
          cell: ({ reference }) => <Copyable text={reference} shown={shortReference(reference)} />,
          isWide: true,
        },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `checkouts/${reference}`}
      empty={{
        title: 'No checkouts yet',
        text: 'A checkout starts when a customer fills in a payment page, when your website asks for a payment, or when you create a payment link.',
        ...(take && { action: take }),
      }}
    />
  )
}
