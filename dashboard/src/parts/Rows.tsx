import { Box, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useHref } from '../shell/where.ts'
import { t } from '../texts/en.ts'
import { useIsPhone } from './Filters.tsx'
import type { ListPageProps } from './ListPage.tsx'

/** From 1200 pixels on a table has room for more than it needs. */
const WIDE = { visibleFrom: 'lg' } as const

/** Rows of a list: a table, and cards on a phone. */
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
                {label === t.action.actions ? <VisuallyHidden>{label}</VisuallyHidden> : label}
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
