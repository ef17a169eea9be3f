import { Box, Button, Group, Pagination, Stack, Text, Title } from '@mantine/core'
import { IconFilterOff } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { Cut } from '../api/csv.ts'
import { type Envelope, type Meta, useRead } from '../api/hooks.ts'
import { type Search, useKeptSearch, useMode, useSearchState } from '../shell/where.ts'
import { t } from '../texts/en.ts'
import { CsvButton, ListCsvButton } from './CsvButton.tsx'
import { useTimeZone, zoneName } from './days.ts'
import { type Filter, Filters, useIsPhone } from './Filters.tsx'
import { useNewRows } from './new-rows.ts'
import { Rows } from './Rows.tsx'
import { DRAWN, Failure, LoadingRows, Nothing } from './states.tsx'

export interface Column<Row> {
  label: string
  cell(row: Row): ReactNode
  align?: 'right'
  /** On a phone a row is a card: these stand in it, or below its title, which is the first. */
  onPhone?: boolean | 'below'
  /** Only where there is room for it: on a wide screen. */
  isWide?: boolean
}

export interface ListPageProps<Row> {
  title: string
  /** It stands below a record, whose own heading is above. */
  isPart?: boolean
  /** Beside the title: what can be made here. */
  actions?: ReactNode
  /** Of the API or the console, as `call` takes it. */
  path: string
  /** Sent always, beside what the filters say. */
  query?: Record<string, string>
  /** How the list is cut: `pages` take page and limit, a `cursor` cursor and limit, `whole` nothing. */
  cut?: Cut
  columns: Column<Row>[]
  filters?: Filter[]
  /** The parameter that searches, if there is one. */
  search?: string
  /** What it looks for, where that is not a part of what is seen. */
  searchFor?: string
  /** Where the server makes a CSV of the same rows; else the rows are put together here. */
  csv?: string
  /** The screen of a row: `invoices/INV_1`. */
  hrefOf?(row: Row): string | undefined
  keyOf(row: Row): string | number
  empty: { title: string; text: string; action?: ReactNode }
  /** What stands there where filters leave nothing, if these say more than that they found nothing. */
  nothing?(chosen: Search): { title: string; text: string } | undefined
  /** What stands above the rows. */
  children?: ReactNode
  /** Whether its rows say when something happened: then it says by which clock. */
  hasTimes?: boolean
  /** What stands below them, by what the list says of itself. */
  note?(meta: Meta): ReactNode
}

const LIMIT = 25

/**
 * A list: filters in the address bar, states for loading, empty and broken, rows that lead on, and
 * cards in their place on a phone. Every list of the dashboard is one of these.
 */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { title, actions, path, query = {}, cut = 'pages', filters = [], empty, children } = props
  const [search, change] = useSearchState()
  useKeptSearch()
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
  const { data, error, isPending, isPlaceholderData, refetch } = useRead<Envelope<Row[]>>(
    path,
    asked,
  )
  const rows = data?.data ?? []
  const keys = data && !isPlaceholderData ? rows.map(props.keyOf) : undefined
  const isNew = useNewRows(keys, useMode() + path + JSON.stringify(asked))
  const isEmpty = data !== undefined && rows.length === 0 && !isFiltered && !isPlaceholderData
  const clear = () =>
    change({
      ...Object.fromEntries(names.map((name) => [name, undefined])),
      page: undefined,
      cursor: undefined,
    })
  const pick = (name: string, value: string | undefined) =>
    change({ [name]: value, page: undefined, cursor: undefined })

  return (
    <Stack gap="lg">
      <Group justify="space-between" align="center" className="heading">
        <Title order={props.isPart ? 2 : 1}>{title}</Title>
        <Group gap="xs">
          {props.csv ? (
            <CsvButton
              path={props.csv}
              query={{ ...query, ...chosen }}
              disabled={rows.length === 0}
            />
          ) : (
            <ListCsvButton
              name={title}
              query={{ ...query, ...chosen }}
              {...{ path, cut }}
              disabled={rows.length === 0}
            />
          )}
          {actions}
        </Group>
      </Group>
      {children}
      {names.length > 0 && (
        // An empty list has nothing to filter; their room stays, so that nothing moves.
        <Box style={isEmpty ? { visibility: 'hidden' } : undefined}>
          <Filters
            {...{ filters, chosen, pick, isFiltered, clear }}
            search={props.search}
            searchFor={props.searchFor}
          />
        </Box>
      )}
      <Box className={rows.length > 0 ? 'card' : 'card holds-place'}>
        {isPending ? (
          <LoadingRows />
        ) : error && !data ? (
          <Failure level={2} error={error} again={() => void refetch()} />
        ) : rows.length === 0 ? (
          isFiltered ? (
            <NothingFound says={props.nothing?.(chosen)} clear={clear} />
          ) : (
            // What can be made here is offered once, beside the heading.
            <Nothing {...empty} action={actions ? undefined : empty.action} />
          )
        ) : (
          <Rows {...props} rows={rows} isNew={isNew} />
        )}
      </Box>
      {data?.meta && props.note?.(data.meta)}
      {data?.meta && rows.length > 0 && (
        <Position meta={data.meta} cut={cut} change={change} hasTimes={props.hasTimes ?? true} />
      )}
    </Stack>
  )
}

/** Where filters leave nothing; what says more than that is a state of its own, and is not cleared. */
function NothingFound({
  says,
  clear,
}: {
  says: { title: string; text: string } | undefined
  clear(): void
}) {
  if (says) return <Nothing {...says} />
  return (
    <Nothing
      icon={<IconFilterOff {...DRAWN} />}
      title={t.list.nothingFound}
      text={t.list.nothingFoundText}
      action={
        <Button variant="default" onClick={clear}>
          {t.list.clear}
        </Button>
      }
    />
  )
}

interface PositionProps {
  meta: Meta
  cut: Cut
  change(search: Search): void
  hasTimes: boolean
}

function Position({ meta, cut, change, hasTimes }: PositionProps) {
  const isPhone = useIsPhone()
  const zone = zoneName(useTimeZone())
  const clock = hasTimes && (
    <Text span inherit className="list-clock">
      {t.list.timesIn(zone)}
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
              <Button
                key={to}
                variant="default"
                disabled={!meta[to]}
                onClick={() => change({ cursor: meta[to] ?? undefined })}
              >
                {t.list[to]}
              </Button>
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
        {t.list.total(total, totalIsExact)}
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
