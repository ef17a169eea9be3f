import { IconCash } from '@tabler/icons-react'
import { useMode } from '../../../api/history.ts'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { choice, DAYS } from '../../../ui/Filters.tsx'
import { AMOUNT, ListPage, STATUS, WHEN } from '../../../ui/ListPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { useSearchState } from '../../../ui/navigation.ts'
import { WithNote } from '../../../ui/values.tsx'

/**
 * The maximum number of entries in a dropdown. Screens of all other subaccounts link here with the
 * filter set.
 */
const LISTED_MAX = 100

/** Returns the subaccounts for the filter, including the chosen one, and whether any exist. */
function useReceivers() {
  const may = usePermission()
  const [{ subaccount: chosen }] = useSearchState()
  const { data } = useOperation(
    'list_subaccounts',
    { page: 1, limit: LISTED_MAX, sort: 'asc', sortKey: 'business_name' },
    { enabled: may('subaccounts:read') },
  )
  const options = (data?.data ?? []).map(({ subaccount_code: value, business_name: label }) => ({
    value,
    label,
  }))
  const isListed = !chosen || options.some(({ value }) => value === chosen)
  return {
    receivers: isListed ? options : [...options, { value: chosen, label: chosen }],
    isFirst: data?.data.length === 0 && may('subaccounts:write'),
  }
}

export function Settlements() {
  const { receivers, isFirst } = useReceivers()
  return (
    <ListPage
      title="Settlements"
      actions={<SettleNow />}
      operation="list_settlements"
      filters={[
        choice('status', 'Status', ['Pending', 'Paid', 'Failed']),
        choice('subaccount', 'Subaccount', receivers),
        ...DAYS,
      ]}
      columns={[
        AMOUNT,
        STATUS,
        {
          label: 'Subaccount',
          cell: ({ business_name: name, subaccountCode, bankName, accountNumber }) => (
            <WithNote note={`${bankName} · ${accountNumber}`}>{name ?? subaccountCode}</WithNote>
          ),
          onPhone: 'below',
        },
        { label: 'Line items', cell: ({ count }) => count.toLocaleString('en-NG'), align: 'right' },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `settlements/${reference}`}
      empty={{
        title: 'No settlements yet',
        text: 'After midnight, we pay every subaccount its share of the day’s payments, less refunds.',
        ...(isFirst && {
          action: <ScreenLink to="subaccounts">Add a subaccount first</ScreenLink>,
        }),
      }}
    />
  )
}

/** In test mode, users don't have to wait for settlement at midnight. */
function SettleNow() {
  const may = usePermission()
  const mode = useMode()
  const settle = useAction(act('simulate_settlement', { done: 'Settlement started.' }))
  if (mode !== 'test' || !may('simulator:write')) return null
  return (
    <ActionButton
      icon={IconCash}
      label="Settle now"
      isMain
      loading={settle.isPending}
      onClick={() => settle.mutate()}
    />
  )
}
