import { Select, type SelectProps } from '@mantine/core'
import { useOperation } from '../api/hooks.ts'
import { usePermission } from '../api/permissions.ts'

/** The maximum number of entries in a dropdown. */
const LISTED_MAX = 100

/**
 * Asks for the split page or subaccount that shares a payment. The value is `split 12`,
 * `subaccount ACCT_…`, or null if the payment is not shared.
 */
export function ShareSelect({
  withSubaccounts = false,
  ...props
}: SelectProps & { withSubaccounts?: boolean }) {
  const may = usePermission()
  const pages = useOperation(
    'list_split_pages',
    { page: 1, limit: LISTED_MAX, sort: 'desc', status: true },
    { enabled: may('split_pages:read') },
  )
  const all = useOperation(
    'list_subaccounts',
    { page: 1, limit: LISTED_MAX, sort: 'asc', sortKey: 'business_name' },
    { enabled: withSubaccounts && may('subaccounts:read') },
  )
  const splits = (pages.data?.data ?? []).map(({ id, name }) => ({
    value: `split ${id}`,
    label: name,
  }))
  const subaccounts = (all.data?.data ?? [])
    .filter(({ status }) => status === 'Active')
    .map(({ subaccount_code: code, business_name: name }) => ({
      value: `subaccount ${code}`,
      label: name,
    }))
  if (!may('split_pages:read') && !(withSubaccounts && may('subaccounts:read'))) return null
  // A split page that has been turned off is not in the list.
  const { value } = props
  const isListed = !value || [...splits, ...subaccounts].some((one) => one.value === value)
  if (!isListed) splits.push({ value, label: value.replace('split ', 'Split page ') })
  const isNobody = splits.length + subaccounts.length === 0
  const groups = [
    { group: 'Split pages', items: splits },
    { group: 'Subaccounts', items: subaccounts },
  ]
  const kinds = withSubaccounts ? ['split pages', 'subaccounts'] : ['split pages']
  return (
    <Select
      label="Share with"
      description={`Choose a split page${withSubaccounts ? ' or a subaccount' : ''}. Leave blank to keep the full amount.`}
      placeholder={isNobody ? `No ${kinds.join(' or ')} yet` : undefined}
      disabled={isNobody}
      data={groups.filter(({ items }) => items.length > 0)}
      searchable
      clearable
      {...props}
    />
  )
}
