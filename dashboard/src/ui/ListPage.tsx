import { Box, Group, Pagination, Stack, Table, Text, Title, VisuallyHidden } from '@mantine/core'
import { IconFilterOff } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { ApiError } from '../api/call.ts'
import type { PagingStyle } from '../api/csv.ts'
import type { Envelope, Meta } from '../api/envelope.ts'
import { useMode } from '../api/history.ts'
import { useRead } from '../api/hooks.ts'
import { type ListName, type OperationName, type Rows as RowOf, requestOf } from '../api/request.ts'
import { ActionButton } from './buttons.tsx'
import { CsvButton, ListCsvButton } from './CsvButton.tsx'
import { useTimeZone, zoneName } from './days.ts'
import { type Filter, Filters, useIsPhone } from './Filters.tsx'
import { EmptyState, Failure, LoadingRows, SCREEN_ICON } from './feedback.tsx'
import {
  type ScreenAddress,
  type Search,
  useHref,
  useRememberSearch,
  useSearchState,
} from './navigation.ts'
import { useNewRows } from './new-rows.ts'
import { Money, Status, When } from './values.tsx'

export interface Column<Row> {
  label: string
  cell(row: Row): ReactNode
  align?: 'right'
  /**
   * Whether a card on a phone shows the column beside or below the title. The first column is the
   * title.
   */
  onPhone?: boolean | 'below'
  isWide?: boolean
}

interface ListPageProps<Row> {
  title: string
  /** Whether the list is part of the screen of a record, which has its own heading. */
  isPart?: boolean
  /** Shown beside the title, such as a create button. */
  actions?: ReactNode
  /** Sent with every request, in addition to the filters. Also fills in path parameters. */
  query?: Record<string, string>
  /** `pages` takes page and limit, `cursor` takes cursor and limit, and `whole` takes neither. */
  cut?: PagingStyle
  columns: Column<Row>[]
  filters?: Filter[]
  /** The query parameter of the search, if there is one. */
  search?: string
  /** The placeholder in the search field, if the search doesn't cover the visible columns. */
  searchFor?: string
  /** The operation that exports CSV. Without one, the browser creates the file. */
  csv?: OperationName
  /** The screen of a row: `invoices/INV_1`. */
  hrefOf?(row: Row): ScreenAddress | undefined
  keyOf(row: Row): string | number
  empty: { title: string; text: string; action?: ReactNode }
  /** Replaces "Nothing matches these filters", for filters with their own message. */
  nothing?(chosen: Search): { title: string; text: string } | undefined
  /** Shown above the rows. */
  children?: ReactNode
  /** Whether `children` are still loading, so that the rows would jump when they arrive. */
  isHidden?: boolean
  /** Whether rows show times, so that the time zone must be stated. */
  hasTimes?: boolean
  /** Shown below the rows. */
  note?(meta: Meta): ReactNode
}

const LIMIT = 25

/**
 * Every list in the dashboard uses this component. It keeps the filters in the URL, shows loading,
 * empty and error states, links each row, and shows cards instead of a table on a phone.
 */
export function ListPage<Name extends ListName>(
  props: ListPageProps<RowOf<Name>> & { operation: Name },
) {
  const { operation, title, actions, cut = 'pages', filters = [], empty, children } = props
  const { path, query } = requestOf(operation, props.query ?? {})
  const [search, change] = useSearchState()
  useRememberSearch()
  const names = [...filters.map(({ name }) => name), ...(props.search ? [props.search] : [])]
  const chosen = Object.fromEntries(
    names.map((name) => [name, search[name]]).filter(([, value]) => value !== undefined),
  ) as Search
  const isFiltered = Object.values(chosen).some(Boolean)
  const position: Search =
    cut === 'pages'
      ? { page: search.page ?? '1', limit: String(LIMIT) }
      : cut === 'cursor'
        ? { cursor: search.cursor, limit: String(LIMIT) }
        : {}
  const asked = { ...query, ...chosen, ...position }
  const { data, error, isPending, isPlaceholderData, refetch } = useRead<Envelope<RowOf<Name>[]>>(
    path,
    asked,
    { keepsPrevious: true },
  )
  const rows = data?.data ?? []
  const keys = data && !isPlaceholderData ? rows.map(props.keyOf) : undefined
  const isNew = useNewRows(keys, useMode() + path + JSON.stringify(asked))
  const { page = 1, total = 0 } = data?.meta ?? {}
  const lastPage = Math.ceil(total / LIMIT)
  // All rows of the last page may have been dealt with.
  const isPastEnd = rows.length === 0 && total > 0 && page > lastPage
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only for a new response
  useEffect(() => {
    if (isPastEnd && !isPlaceholderData) change({ page: String(lastPage) }, true)
  }, [isPastEnd, isPlaceholderData, lastPage])
  // If the search takes a reference, the API responds with 404 to one that no record has.
  const isUnknown =
    error instanceof ApiError &&
    error.status === 404 &&
    Boolean(props.search && chosen[props.search])
  const isEmpty =
    data !== undefined && rows.length === 0 && !isFiltered && !isPlaceholderData && !isPastEnd
  const clear = () =>
    change({
      ...Object.fromEntries(names.map((name) => [name, undefined])),
      page: undefined,
      cursor: undefined,
    })
  const invisible = { visibility: 'hidden' } as const
  const hidden = props.isHidden ? invisible : undefined
  const pick = (name: string, value: string | undefined) =>
    change({ [name]: value, page: undefined, cursor: undefined })

  return (
    <Stack gap="lg">
      <Group justify="space-between" align="center" className="heading">
        <Title order={props.isPart ? 2 : 1}>{title}</Title>
        <Group gap="xs">
          {props.csv ? (
            <CsvButton
              {...requestOf(props.csv, { ...props.query, ...chosen })}
              disabled={rows.length === 0}
            />
          ) : (
            <ListCsvButton
              name={title}
              query={{ ...query, ...chosen }}
              path={path}
              cut={cut}
              disabled={rows.length === 0}
            />
          )}
          {actions}
        </Group>
      </Group>
      {children}
      {names.length > 0 && (
        // An empty list needs no filters, but keeps the space for them, so that the layout does not
        // jump.
        <Box style={isEmpty ? invisible : hidden}>
          <Filters
            filters={filters}
            chosen={chosen}
            pick={pick}
            isFiltered={isFiltered}
            clear={clear}
            search={props.search}
            searchFor={props.searchFor}
          />
        </Box>
      )}
      <Box className={rows.length > 0 ? 'card' : 'card holds-place'} style={hidden}>
        {isPending || isPastEnd ? (
          <LoadingRows />
        ) : error && !data && !isUnknown ? (
          <Failure level={2} error={error} again={() => void refetch()} />
        ) : rows.length === 0 ? (
          isFiltered ? (
            <NothingFound says={props.nothing?.(chosen)} clear={clear} />
          ) : (
            // Omits the create button if there already is one beside the heading.
            <EmptyState {...empty} action={actions ? undefined : empty.action} />
          )
        ) : (
          <Rows {...props} rows={rows} isNew={isNew} />
        )}
      </Box>
      {data?.meta && !props.isHidden && props.note?.(data.meta)}
      {data?.meta && !props.isHidden && rows.length > 0 && (
        <Position meta={data.meta} cut={cut} change={change} hasTimes={props.hasTimes ?? true} />
      )}
    </Stack>
  )
}

/** Offers "Clear filters", unless the filter has its own message. */
function NothingFound({
  says,
  clear,
}: {
  says: { title: string; text: string } | undefined
  clear(): void
}) {
  if (says) return <EmptyState {...says} />
  return (
    <EmptyState
      icon={<IconFilterOff {...SCREEN_ICON} />}
      title="Nothing matches these filters"
      text="Remove a filter or search for something else."
      action={<ActionButton label="Clear filters" onClick={clear} />}
    />
  )
}

interface PositionProps {
  meta: Meta
  cut: PagingStyle
  change(search: Search): void
  hasTimes: boolean
}

function Position({ meta, cut, change, hasTimes }: PositionProps) {
  const isPhone = useIsPhone()
  const zone = zoneName(useTimeZone())
  const clock = hasTimes && (
    <Text span inherit className="list-clock">
      Times in {zone}
    </Text>
  )
  if (cut === 'cursor') {
    return (
      <Group justify="space-between" mih={36}>
        <Text size="sm" c="dimmed">
          {clock}
        </Text>
        {(meta.next || meta.previous) && (
          <Group gap="xs">
            {(['previous', 'next'] as const).map((to) => (
              <ActionButton
                label={to === 'previous' ? 'Previous' : 'Next'}
                key={to}
                disabled={!meta[to]}
                onClick={() => change({ cursor: meta[to] ?? undefined })}
              />
            ))}
          </Group>
        )}
      </Group>
    )
  }
  const { page = 1, pageCount = 1, total = 0, totalIsExact = true } = meta
  if (total === 0) return null
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {`${total.toLocaleString('en-NG')}${totalIsExact ? '' : '+'} total`}
        {clock && <> · {clock}</>}
      </Text>
      {pageCount > 1 && (
        <Pagination
          total={pageCount}
          value={page}
          siblings={isPhone ? 0 : 1}
          onChange={(wanted) => change({ page: String(wanted) })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </Group>
  )
}

/** From 1200 px, tables have room for additional columns. */
const WIDE = { visibleFrom: 'lg' } as const

/** A table or, on a phone, cards. */
export function Rows<Row>({
  columns,
  rows,
  keyOf,
  hrefOf,
  title,
  isNew,
}: ListPageProps<Row> & { rows: Row[]; isNew?: ReadonlySet<string | number> }) {
  const isPhone = useIsPhone()
  const navigate = useNavigate()
  const inMode = useHref()
  const hrefFor = (row: Row) => {
    const screen = hrefOf?.(row)
    return screen === undefined ? undefined : inMode(screen)
  }
  const looks = (row: Row, base = '') =>
    [base, hrefOf && 'row-link', isNew?.has(keyOf(row)) && 'row-new'].filter(Boolean).join(' ')
  const open = (row: Row) => {
    const to = hrefFor(row)
    if (to) void navigate({ to })
  }
  if (isPhone) {
    const [first] = columns
    const below = columns.filter(({ onPhone }) => onPhone === 'below')
    const others = columns.filter(({ onPhone }) => onPhone === true)
    return rows.map((row) => (
      <Box key={keyOf(row)} className={looks(row, 'row-card')} onClick={() => open(row)}>
        <div className="row-parts">
          <Box className="row-words breaks">
            <RowLink href={hrefFor(row)}>{first?.cell(row)}</RowLink>
            {below.map((column) => (
              <Text key={column.label} size="sm" component="div" c="dimmed" className="breaks">
                {column.cell(row)}
              </Text>
            ))}
          </Box>
          <Stack className="row-marks" gap={4} align="flex-end" ta="right">
            {others.map((column) => (
              <Text key={column.label} size="sm" component="div" ta="right">
                {column.cell(row)}
              </Text>
            ))}
          </Stack>
        </div>
      </Box>
    ))
  }
  return (
    <Table.ScrollContainer minWidth={640} className="rows">
      <Table aria-label={title}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ label, align, isWide }) => (
              <Table.Th key={label} ta={align ?? 'left'} {...(isWide && WIDE)}>
                {label === 'Actions' ? <VisuallyHidden>{label}</VisuallyHidden> : label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)} className={looks(row)} onClick={() => open(row)}>
              {columns.map(({ label, align, cell, isWide }, i) => (
                <Table.Td key={label} ta={align ?? 'left'} {...(isWide && WIDE)}>
                  {i === 0 ? <RowLink href={hrefFor(row)}>{cell(row)}</RowLink> : cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** Allows users to open the record with the keyboard or in a new tab. */
function RowLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const navigate = useNavigate()
  if (!href) return children
  return (
    <a
      href={href}
      style={{ color: 'inherit', textDecoration: 'none', fontWeight: 600 }}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) {
          event.stopPropagation()
          return
        }
        event.preventDefault()
        event.stopPropagation()
        void navigate({ to: href })
      }}
    >
      {children}
    </a>
  )
}

/* Columns that many lists have. */

export const AMOUNT: Column<{ amount: number; currency: string }> = {
  label: 'Amount',
  align: 'right',
  cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
}

export const STATUS: Column<{ status: string }> = {
  label: 'Status',
  cell: ({ status }) => <Status of={status} />,
  onPhone: true,
}

export const WHEN: Column<{ createdAt: string }> = {
  label: 'Date',
  cell: ({ createdAt }) => <When at={createdAt} />,
  onPhone: true,
  align: 'right',
}
