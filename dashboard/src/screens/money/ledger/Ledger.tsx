import { Box, Group, SimpleGrid, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type Meta, useOperation } from '../../../api/hooks.ts'
import type { ListedLedgerEntry } from '../../../api/operations.ts'
import type { Data, OperationResponse } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { useDayOf } from '../../../ui/days.ts'
import { choice, DAYS, type Filter } from '../../../ui/Filters.tsx'
import { Failure } from '../../../ui/feedback.tsx'
import { type Column, ListPage } from '../../../ui/ListPage.tsx'
import { useSearchState } from '../../../ui/navigation.ts'
import { dayOf } from '../../../ui/typed-days.ts'
import { money, When } from '../../../ui/values.tsx'
import {
  ACCOUNT_KINDS,
  ACCOUNTS,
  accountKey,
  accountName,
  CAUSES,
  Cause,
  FromTo,
  KINDS,
  kindName,
  Signed,
} from './names.tsx'

export function Ledger() {
  const [{ account, direction, kind, cause, reference }] = useSearchState()
  const read = useOperation('get_ledger_accounts')
  const accounts = read.data?.data
  // A filter omits entries, so running balances wouldn't make sense.
  const hasBalance = Boolean(account) && !direction && !kind && !cause && !reference
  return (
    <ListPage
      title="Ledger"
      operation="list_ledger_entries"
      cut="cursor"
      csv="export_ledger_entries"
      search="reference"
      searchFor="Full reference, such as TRX_…"
      filters={filtersOf(accounts, account)}
      columns={[...COLUMNS, ...(hasBalance ? [BALANCE] : [])]}
      keyOf={({ id }) => id}
      hrefOf={({ reference: its }) => `ledger/${its}`}
      empty={{
        title: 'No entries yet',
        text: 'Each payment, transfer, refund and settlement moves money from one account to another. Every movement is listed here and cannot be changed.',
      }}
      note={(meta) => <LookedUntil meta={meta} />}
    >
      <AccountsShown of={read} chosen={account} />
    </ListPage>
  )
}

function filtersOf(
  of: Data<'get_ledger_accounts'> | undefined,
  chosen: string | undefined,
): Filter[] {
  const own = (of?.accounts ?? []).filter(({ kind }) => kind !== 'subaccount')
  // An account with balances in several currencies is one option.
  const names = new Map(
    [...own, ...(of?.subaccounts ?? [])].map((account) => [
      accountKey(account),
      accountName(account),
    ]),
  )
  const options = [...names].map(([value, label]) => ({ value, label }))
  const isKnown = !chosen || options.some(({ value }) => value === chosen)
  const currencies = [...new Set(of?.accounts.map(({ currency }) => currency))]
  return [
    choice(
      'account',
      'Account',
      isKnown ? options : [...options, { value: chosen, label: chosen }],
    ),
    choice('direction', 'Direction', [
      { value: 'in', label: 'Money in' },
      { value: 'out', label: 'Money out' },
    ]),
    choice('cause', 'Source', CAUSES),
    choice(
      'kind',
      'Description',
      Object.entries(KINDS).map(([value, label]) => ({ value, label })),
    ),
    ...(currencies.length > 1 ? [choice('currency', 'Currency', currencies)] : []),
    ...DAYS,
  ]
}

const COLUMNS: Column<ListedLedgerEntry>[] = [
  { label: 'Description', cell: ({ kind }) => kindName(kind) },
  { label: 'From and to', cell: (move) => <FromTo of={move} />, onPhone: 'below' },
  { label: 'Source', cell: ({ cause }) => <Cause of={cause} />, onPhone: 'below' },
  { label: 'Date', cell: ({ createdAt }) => <When at={createdAt} />, onPhone: true },
  { label: 'Amount', cell: (move) => <Signed {...move} />, align: 'right', onPhone: true },
]

const BALANCE: Column<ListedLedgerEntry> = {
  label: 'Balance',
  cell: ({ balance, currency }) => (
    <Text span inherit className="whole">
      {money(balance, currency)}
    </Text>
  ),
  align: 'right',
}

/**
 * Shows how far back the server has searched, because one request covers a limited number of
 * entries.
 */
function LookedUntil({ meta }: { meta: Meta }) {
  const businessDay = useDayOf()
  if (!meta.lookedUntil) return null
  return (
    <Text size="sm" c="dimmed" role="status">
      Searched entries back to {dayOf(businessDay(meta.lookedUntil))}. “Next” searches further back;
      choosing dates makes the search faster.
    </Text>
  )
}

type Shown = Data<'get_ledger_accounts'>['accounts'][number]

/** Shows the balance of each account. Choosing an account filters the entries. */
function AccountsShown({
  of: read,
  chosen,
}: {
  of: UseQueryResult<OperationResponse<'get_ledger_accounts'>>
  chosen: string | undefined
}) {
  const [isOpen, { toggle }] = useDisclosure(false)
  if (read.error && !read.data) {
    return <Failure error={read.error} again={() => void read.refetch()} />
  }
  const accounts = allOf(read.data?.data.accounts ?? [])
  const longest = Math.max(...accounts.map((one) => money(one.balance, one.currency).length))
  const Chevron = isOpen ? IconChevronUp : IconChevronDown
  return (
    <Stack gap="xs">
      <div className="figures-room">
        <SimpleGrid
          className="figures"
          cols={{ base: 2, sm: 3 }}
          spacing="sm"
          style={{ '--many': 3, '--characters': longest }}
          {...(!read.data && { role: 'status', 'aria-busy': true, 'aria-label': 'Loading' })}
        >
          {accounts.map((account) => (
            <AccountCard
              key={`${accountKey(account)} ${account.currency}`}
              of={account}
              isChosen={accountKey(account) === chosen}
              isExplained={isOpen}
              isLoading={!read.data}
            />
          ))}
        </SimpleGrid>
      </div>
      <Group>
        <ActionButton
          label={isOpen ? 'Hide explanations' : 'What are these accounts?'}
          variant="subtle"
          size="compact-sm"
          rightSection={<Chevron size={14} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        />
      </Group>
    </Stack>
  )
}

/**
 * Accounts that every business has sooner or later. They are always shown, so that the layout does
 * not jump.
 */
const ALWAYS = ['wallet_available', 'held', 'refunds', 'fees', 'subaccount', 'provider_clearing']

const EMPTY = { subaccount: null, connection: null, count: 0, balance: 0, balanceMinor: 0 }

function allOf(accounts: Shown[]): Shown[] {
  const currency = accounts[0]?.currency ?? 'NGN'
  const missing = ALWAYS.filter((kind) => !accounts.some((one) => one.kind === kind)).map(
    (kind) => ({ ...EMPTY, kind, currency }),
  )
  return [...accounts, ...missing].sort(
    (a, b) => ACCOUNT_KINDS.indexOf(a.kind) - ACCOUNT_KINDS.indexOf(b.kind),
  )
}

function AccountCard({
  of: account,
  isChosen,
  isExplained,
  isLoading,
}: {
  of: Shown
  isChosen: boolean
  isExplained: boolean
  isLoading: boolean
}) {
  const [, change] = useSearchState()
  const { kind, count, balance, currency } = account
  const inside = (
    <>
      <Text size="sm" c="dimmed">
        {accountName(account)}
        {kind === 'subaccount' && count > 0 && ` (${count.toLocaleString('en-NG')})`}
      </Text>
      {isLoading ? (
        <Skeleton width="70%" className="figure">
          &nbsp;
        </Skeleton>
      ) : (
        <Text className="figure">{money(balance, currency)}</Text>
      )}
      {isExplained && (
        <Text size="sm" c="dimmed" mt={4}>
          {ACCOUNTS[kind]?.says}
        </Text>
      )}
    </>
  )
  // Each subaccount has its own account, which the filter selects by name. An account without
  // transfers has no entries to show.
  if (kind === 'subaccount' || count === 0) {
    return (
      <Box className="card figure-tile" p={{ base: 'sm', sm: 'md' }}>
        {inside}
      </Box>
    )
  }
  return (
    <UnstyledButton
      className="card figure-tile"
      p={{ base: 'sm', sm: 'md' }}
      aria-pressed={isChosen}
      style={{
        // A button element would centre its content vertically.
        display: 'flex',
        flexDirection: 'column',
        justifyContent: 'flex-start',
        ...(isChosen && { borderColor: 'var(--accent)' }),
      }}
      onClick={() =>
        change({
          account: isChosen ? undefined : accountKey(account),
          currency: isChosen ? undefined : currency,
          cursor: undefined,
        })
      }
    >
      {inside}
    </UnstyledButton>
  )
}
