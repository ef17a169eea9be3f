import { Alert, Group, Pagination, Stack, Table, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import type { Settlement as SettlementRecord } from '../../../../../sdk/src/operations.ts'
import { useOperation } from '../../../api/hooks.ts'
import { at } from '../../../api/request.ts'
import { CsvButton } from '../../../ui/CsvButton.tsx'
import { Card, DetailPage, Fact, Facts, WithTimeline } from '../../../ui/DetailPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { useSearchState } from '../../../ui/navigation.ts'
import { ofSettlement, SimulateOutcome } from '../../../ui/SimulateOutcome.tsx'
import { money, Status, sentence, shortReference, When, WithNote } from '../../../ui/values.tsx'
import { ProviderCard } from '../../business/providers/ProviderCard.tsx'
import { InLedger } from '../ledger/names.tsx'

const LINES = 50

export function Settlement() {
  const { reference } = useParams({ from: '/$mode/settlements/$reference' })
  const [{ page = '1' }] = useSearchState()
  const read = useOperation(
    'get_settlement',
    { reference, page: Number(page), limit: LINES },
    // Its lines are a list with pages. The reference is in the path.
    { keepsPrevious: true },
  )
  const settlement = read.data?.data
  return (
    <DetailPage
      back={{ to: 'settlements', label: 'Settlements' }}
      title={settlement && money(settlement.amount, settlement.currency)}
      status={<Status of={settlement?.status} />}
      read={read}
      actions={
        settlement && <CsvButton path={at('export_settlement', { reference }).path} query={{}} />
      }
    >
      {settlement && (
        <>
          {settlement.failureReason && (
            <Alert
              color={settlement.status === 'Failed' ? 'red' : 'yellow'}
              title={
                settlement.status === 'Failed'
                  ? 'The settlement was not paid'
                  : 'Message from the bank'
              }
            >
              {sentence(settlement.failureReason)}
              {settlement.status === 'Failed' &&
                ' Its amount will be included in the next settlement.'}
            </Alert>
          )}
          <SimulateOutcome of={reference} kind="transfer" outcomes={ofSettlement(settlement)} />
          <WithTimeline of={settlement.timeline}>
            <SettlementFacts of={settlement} />
            <ProviderCard
              orders="get_settlement_orders"
              id={settlement.id}
              currency={settlement.currency}
            />
            <Lines of={settlement} />
          </WithTimeline>
        </>
      )}
    </DetailPage>
  )
}

function SettlementFacts({ of }: { of: SettlementRecord }) {
  return (
    <Card title="Settlement">
      <Facts>
        <Fact
          label="Subaccount"
          value={
            of.subaccountCode ? (
              <ScreenLink to={`subaccounts/${of.subaccountCode}`}>
                {of.business_name ?? of.subaccountCode}
              </ScreenLink>
            ) : (
              of.business_name
            )
          }
        />
        <Fact label="Account holder" value={of.accountName} />
        <Fact label="Account number" copy={of.accountNumber} />
        <Fact label="Bank" value={of.bankName} />
        <Fact label="Reference" copy={of.reference} />
        <Fact label="Ledger entry" value={<InLedger reference={of.reference} />} />
        <Fact label="Started" at={of.createdAt} />
        <Fact label="Paid" at={of.paidAt} />
      </Facts>
    </Card>
  )
}

type Line = SettlementRecord['lines'][number]

/** Lists the shares and refunds that make up the amount of the settlement. */
function Lines({ of: { lines, linesMeta, currency, count } }: { of: SettlementRecord }) {
  const [, change] = useSearchState()
  const { page, pageCount } = linesMeta
  return (
    <Card title={`Line items (${count.toLocaleString('en-NG')})`}>
      {lines.length === 0 ? (
        <Text c="dimmed">Its line items will be included in the next settlement.</Text>
      ) : (
        <Stack>
          <Table aria-label="Line items">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Description</Table.Th>
                <Table.Th ta="right">Amount</Table.Th>
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
  share: 'Share of',
  refund: 'Refund of',
  refund_failed: 'Failed refund of',
}

function What({
  of: { kind, transactionReference: its, refundReference, createdAt },
}: {
  of: Line
}) {
  return (
    <WithNote note={<When at={createdAt} />}>
      {KINDS[kind] ?? kind} <ScreenLink to={`payments/${its}`}>{shortReference(its)}</ScreenLink>
      {refundReference && (
        <>
          {' by '}
          <ScreenLink to={`refunds/${refundReference}`}>
            {shortReference(refundReference)}
          </ScreenLink>
        </>
      )}
    </WithNote>
  )
}
