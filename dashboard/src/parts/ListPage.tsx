import {
  Box,
  Button,
  Group,
  Pagination,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks'
import { IconDownload, IconSearch, IconX } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { addressOf } from '../api/call.ts'
import { download } from '../api/download.ts'
import { type Envelope, type Meta, useRead } from '../api/hooks.ts'
import { type Search, useHref, useSearchState } from '../shell/where.ts'
import { t } from '../texts/en.ts'
import { Failure, LoadingRows, Nothing } from './states.tsx'

export interface Column<Row> {
  label: string
  cell(row: Row): ReactNode
  align?: 'right'
  /** On a phone a row is a card: these stand in it; the first is its title. */
  onPhone?: boolean
}

export type Filter =
  | {
      kind: 'choice'
      name: string
      label: string
      options: (string | { value: string; label: string })[]
    }
  | { kind: 'day'; name: string; label: string }
  | { kind: 'text'; name: string; label: string }

export interface ListPageProps<Row> {
  title: string
  /** Beside the title: what can be made here. */
  actions?: ReactNode
  /** Of the API or the console, as `call` takes it. */
  path: string
  /** Sent always, beside what the filters say. */
  query?: Record<string, string>
  /** How the list is cut: `pages` take page and limit, a `cursor` cursor and limit, `whole` nothing. */
  cut?: 'pages' | 'cursor' | 'whole'
  columns: Column<Row>[]
  filters?: Filter[]
  /** The parameter that searches, if there is one. */
  search?: string
  /** Of the CSV of the same rows. */
  csv?: string
  /** The screen of a row: `invoices/INV_1`. */
  hrefOf?(row: Row): string | undefined
  keyOf(row: Row): string | number
  empty: { title: string; text: string; action?: ReactNode }
  /** What stands above the rows. */
  children?: ReactNode
}

const LIMIT = 25

/**
 * A list: filters in the address bar, states for loading, empty and broken, rows that lead on, and
 * cards in their place on a phone. Every list of the dashboard is one of these.
 */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { title, actions, path, query = {}, cut = 'pages', filters = [], empty, children } = props
  const [search, change] = useSearchState()
  const names = [...filters.map(({ name }) => name), ...(props.search ? [props.search] : [])]
  const chosen = Object.fromEntries(names.map((name) => [name, search[name]]))
  const isFiltered = Object.values(chosen).some(Boolean)
  const position: Search =
    cut === 'pages'
      ? { page: search.page ?? '1', limit: String(LIMIT) }
      : cut === 'cursor'
        ? { cursor: search.cursor, limit: String(LIMIT) }
        : {}
  const { data, error, isPending, refetch } = useRead<Envelope<Row[]>>(path, {
    ...query,
    ...chosen,
    ...position,
  })
  const rows = data?.data ?? []
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
      <Group justify="space-between" align="center">
        <Title order={1}>{title}</Title>
        <Group gap="xs">{actions}</Group>
      </Group>
      {children}
      {(names.length > 0 || props.csv) && (
        <Filters
          {...{ filters, chosen, pick, isFiltered, clear }}
          search={props.search}
          csv={props.csv && { path: props.csv, query: { ...query, ...chosen } }}
        />
      )}
      <Box className="card holds-place">
        {isPending ? (
          <LoadingRows />
        ) : error && !data ? (
          <Failure error={error} again={() => void refetch()} />
        ) : rows.length === 0 ? (
          isFiltered ? (
            <Nothing
              title={t.list.nothingFound}
              action={
                <Button variant="default" onClick={clear}>
                  {t.list.clear}
                </Button>
              }
            />
          ) : (
            <Nothing {...empty} />
          )
        ) : (
          <Rows {...props} rows={rows} />
        )}
      </Box>
      {data?.meta && <Cut meta={data.meta} cut={cut} change={change} />}
    </Stack>
  )
}

interface FiltersProps {
  filters: Filter[]
  chosen: Search
  pick(name: string, value: string | undefined): void
  search: string | undefined
  isFiltered: boolean
  clear(): void
  csv: { path: string; query: Search } | undefined | ''
}

function Filters({ filters, chosen, pick, search, isFiltered, clear, csv }: FiltersProps) {
  return (
    <Group gap="sm" align="flex-end" role="search">
      {search && (
        <SearchField
          key={chosen[search] ? 'kept' : 'empty'}
          value={chosen[search] ?? ''}
          onSearch={(text) => pick(search, text || undefined)}
        />
      )}
      {filters.map((filter) =>
        filter.kind === 'choice' ? (
          <Select
            key={filter.name}
            label={filter.label}
            placeholder={t.list.any}
            data={filter.options}
            value={chosen[filter.name] ?? null}
            onChange={(value) => pick(filter.name, value ?? undefined)}
            clearable
            w={170}
          />
        ) : (
          <TextInput
            key={filter.name}
            label={filter.label}
            type={filter.kind === 'day' ? 'date' : 'text'}
            value={chosen[filter.name] ?? ''}
            onChange={(event) => pick(filter.name, event.currentTarget.value || undefined)}
            w={170}
          />
        ),
      )}
      {isFiltered && (
        <Button variant="subtle" color="gray" leftSection={<IconX size={16} />} onClick={clear}>
          {t.list.clear}
        </Button>
      )}
      {csv && (
        <Button
          variant="default"
          ml="auto"
          leftSection={<IconDownload size={16} />}
          onClick={() => void download(addressOf(csv.path, csv.query))}
        >
          {t.list.csv}
        </Button>
      )}
    </Group>
  )
}

function SearchField({ value, onSearch }: { value: string; onSearch(text: string): void }) {
  const [text, setText] = useState(value)
  const later = useDebouncedCallback(onSearch, 250)
  return (
    <TextInput
      label={t.list.search}
      type="search"
      leftSection={<IconSearch size={16} />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        later(event.currentTarget.value.trim())
      }}
      style={{ flex: '1 1 14rem' }}
      maw={360}
    />
  )
}

function Rows<Row>({ columns, rows, keyOf, hrefOf, title }: ListPageProps<Row> & { rows: Row[] }) {
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const navigate = useNavigate()
  const inMode = useHref()
  const hrefFor = (row: Row) => {
    const screen = hrefOf?.(row)
    return screen === undefined ? undefined : inMode(screen)
  }
  const open = (row: Row) => {
    const to = hrefFor(row)
    if (to) void navigate({ to })
  }
  if (isPhone) {
    const [first, ...others] = columns.filter((column, i) => i === 0 || column.onPhone)
    return rows.map((row) => (
      <Box
        key={keyOf(row)}
        p="md"
        className={hrefOf ? 'row-link' : undefined}
        style={{ borderBottom: '1px solid var(--line)' }}
        onClick={() => open(row)}
      >
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Box style={{ minWidth: 0 }}>
            <RowLink href={hrefFor(row)}>{first?.cell(row)}</RowLink>
          </Box>
          <Stack gap={4} align="flex-end">
            {others.map((column) => (
              <div key={column.label}>{column.cell(row)}</div>
            ))}
          </Stack>
        </Group>
      </Box>
    ))
  }
  return (
    <Table.ScrollContainer minWidth={640}>
      <Table aria-label={title}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ label, align }) => (
              <Table.Th key={label} ta={align ?? 'left'}>
                {label}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr
              key={keyOf(row)}
              className={hrefOf ? 'row-link' : undefined}
              onClick={() => open(row)}
            >
              {columns.map(({ label, align, cell }, i) => (
                <Table.Td key={label} ta={align ?? 'left'}>
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

/** The one real link of a row, for keyboards and for opening it elsewhere. */
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

function Cut({ meta, cut, change }: { meta: Meta; cut: string; change(search: Search): void }) {
  if (cut === 'cursor') {
    if (!meta.next && !meta.previous) return null
    return (
      <Group justify="flex-end">
        <Button
          variant="default"
          disabled={!meta.previous}
          onClick={() => change({ cursor: meta.previous ?? undefined })}
        >
          {t.list.previous}
        </Button>
        <Button
          variant="default"
          disabled={!meta.next}
          onClick={() => change({ cursor: meta.next ?? undefined })}
        >
          {t.list.next}
        </Button>
      </Group>
    )
  }
  const { page = 1, pageCount = 1, total = 0, totalIsExact = true } = meta
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {t.list.total(total, totalIsExact)}
      </Text>
      {pageCount > 1 && (
        <Pagination
          total={pageCount}
          value={page}
          onChange={(wanted) => change({ page: String(wanted) })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
        />
      )}
    </Group>
  )
}
