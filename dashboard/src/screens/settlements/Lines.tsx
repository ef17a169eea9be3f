import { Group, Pagination, Stack, Table, Text } from '@mantine/core'
import type { Settlement } from '../../../../sdk/src/operations.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { money, short, When } from '../../parts/values.tsx'
import { useSearchState } from '../../shell/where.ts'
import { t } from '../../texts/settlements.ts'

type Line = Settlement['lines'][number]

/** What it adds up of: shares of payments, less refunds. */
export function Lines({ of: { lines, linesMeta, currency, count } }: { of: Settlement }) {
  const [, change] = useSearchState()
  const { page, pageCount } = linesMeta
  return (
    <Card title={t.linesOf(count.toLocaleString('en-NG'))}>
      {lines.length === 0 ? (
        <Text c="dimmed">{t.itsLinesAreDueAgain}</Text>
      ) : (
        <Stack>
          <Table aria-label={t.lines}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t.what}</Table.Th>
                <Table.Th ta="right">{t.amount}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {lines.map((line) => (
                <Table.Tr key={`${line.kind} ${line.transactionId} ${line.refundReference}`}>
                  <Table.Td>
                    <What of={line} />
                  </Table.Td>
                  <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                    {money(line.amount, currency)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          {pageCount > 1 && (
            <Group justify="flex-end">
              <Pagination
                total={pageCount}
                value={page}
                onChange={(wanted) => change({ page: String(wanted) })}
                getControlProps={(control) => ({ 'aria-label': `${control} page` })}
                getItemProps={(item) => ({ 'aria-label': `Page ${item}` })}
              />
            </Group>
          )}
        </Stack>
      )}
    </Card>
  )
}

const KINDS: Record<string, string> = {
  share: t.shareOf,
  refund: t.refundOf,
  refund_failed: t.failedRefundOf,
}

function What({
  of: { kind, transactionReference: its, refundReference, createdAt },
}: {
  of: Line
}) {
  return (
    <Stack gap={0}>
      <span>
        {KINDS[kind] ?? kind} <ScreenLink to={`payments/${its}`}>{short(its)}</ScreenLink>
        {refundReference && (
          <>
            {' by '}
            <ScreenLink to={`refunds/${refundReference}`}>{short(refundReference)}</ScreenLink>
          </>
        )}
      </span>
      <Text span size="xs" c="dimmed">
        <When at={createdAt} />
      </Text>
    </Stack>
  )
}
