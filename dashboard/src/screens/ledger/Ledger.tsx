import { Text } from '@mantine/core'
import { type Envelope, type Meta, useRead } from '../../api/hooks.ts'
import { DAYS, type Filter } from '../../parts/Filters.tsx'
import { type Column, ListPage } from '../../parts/ListPage.tsx'
import { money, When } from '../../parts/values.tsx'
import { useSearchState } from '../../shell/where.ts'
import { t } from '../../texts/ledger.ts'
import { Cause, KINDS, kindName, Signed } from '../wallet/causes.tsx'
import { AccountsShown } from './AccountsShown.tsx'
import { FromTo } from './FromTo.tsx'
import { ACCOUNTS, CAUSES } from './names.ts'
import type { Accounts, ListedMove } from './types.ts'

/** The books: every movement of money between accounts, of one account or of all. */
export function Ledger() {
  const [{ account, direction, kind, cause, reference }] = useSearchState()
  const read = useRead<Envelope<Accounts>>('/console/ledger/accounts')
  const accounts = read.data?.data
  // Between filtered movements others are left out, and no balance follows from the last.
  const hasBalance = Boolean(account) && !direction && !kind && !cause && !reference
  return (
    <ListPage<ListedMove>
      title={t.ledger}
      path="/console/ledger"
      cut="cursor"
      csv="/console/ledger/export"
      search="reference"
      searchFor={t.wholeReferenceTrxTrf}
      filters={filtersOf(accounts, account)}
      columns={[...COLUMNS, ...(hasBalance ? [BALANCE] : [])]}
      keyOf={({ id }) => id}
      hrefOf={({ reference: its }) => `ledger/${its}`}
      empty={{
        title: t.theBooksAreEmpty,
        text: t.eachPaymentTransferRefundAnd,
      }}
      note={(meta) => <LookedUntil meta={meta} />}
    >
      <AccountsShown of={read} chosen={account} />
    </ListPage>
  )
}

function filtersOf(of: Accounts | undefined, chosen: string | undefined): Filter[] {
  const own = [...new Set(of?.accounts.map(({ kind }) => kind))].filter(
    (kind) => kind !== 'subaccount',
  )
  const options = [
    ...own.map((kind) => ({ value: kind, label: ACCOUNTS[kind]?.name ?? kind })),
    ...(of?.subaccounts ?? []).map(({ subaccount }) => ({
      value: subaccount?.code ?? '',
      label: subaccount?.name ?? '',
    })),
  ]
  const isKnown = !chosen || options.some(({ value }) => value === chosen)
  const currencies = [...new Set(of?.accounts.map(({ currency }) => currency))]
  return [
    {
      kind: 'choice',
      name: 'account',
      label: t.account,
      options: isKnown ? options : [...options, { value: chosen, label: chosen }],
    },
    {
      kind: 'choice',
      name: 'direction',
      label: t.inOrOut,
      options: [
        { value: 'in', label: t.moneyIn },
        { value: 'out', label: t.moneyOut },
      ],
    },
    { kind: 'choice', name: 'cause', label: t.becauseOf, options: CAUSES },
    {
      kind: 'choice',
      name: 'kind',
      label: t.what,
      options: Object.entries(KINDS).map(([value, label]) => ({ value, label })),
    },
    ...(currencies.length > 1
      ? [{ kind: 'choice', name: 'currency', label: t.currency, options: currencies } as const]
      : []),
    ...DAYS,
  ]
}

const COLUMNS: Column<ListedMove>[] = [
  { label: t.what, cell: ({ kind }) => kindName(kind) },
  { label: t.fromAndTo, cell: (move) => <FromTo of={move} />, onPhone: 'below' },
  { label: t.becauseOf, cell: ({ cause }) => <Cause of={cause} />, onPhone: 'below' },
  { label: t.when, cell: ({ createdAt }) => <When at={createdAt} />, onPhone: true },
  {
    label: t.amount,
    cell: (move) => <Signed {...move} />,
    align: 'right',
    onPhone: true,
  },
]

const BALANCE: Column<ListedMove> = {
  label: t.balance,
  cell: ({ balance, currency }) => (
    <Text span inherit className="whole">
      {money(balance, currency)}
    </Text>
  ),
  align: 'right',
}

const DAY = new Intl.DateTimeFormat('en-NG', { dateStyle: 'long' })

/** What is rare is looked for in so many entries at a time. */
function LookedUntil({ meta }: { meta: Meta }) {
  if (!meta.lookedUntil) return null
  return (
    <Text size="sm" c="dimmed" role="status">
      {t.searchedEntriesBackToNext(DAY.format(new Date(meta.lookedUntil)))}
    </Text>
  )
}
