import { Stack, Table, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { useOperation } from '../../../api/hooks.ts'
import type { LedgerEntry } from '../../../api/operations.ts'
import { Card, DetailPage, Fact, Facts, Timeline } from '../../../ui/DetailPage.tsx'
import { useIsPhone } from '../../../ui/Filters.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { money } from '../../../ui/values.tsx'
import {
  ACCOUNTS,
  type Account,
  accountKey,
  accountName,
  Cause,
  FromTo,
  kindName,
  verbName,
} from './names.tsx'

export function Entry() {
  const { reference } = useParams({ from: '/$mode/ledger/$reference' })
  const read = useOperation('get_ledger_entry', { reference })
  const entry = read.data?.data
  return (
    <DetailPage
      back={{ to: 'ledger', label: 'Ledger' }}
      title={entry && money(entry.amount, entry.currency)}
      status={
        entry && (
          <Text span c="dimmed">
            {kindName(entry.kind)}
          </Text>
        )
      }
      read={read}
    >
      {entry && (
        <div className="beside">
          <Stack gap="lg">
            <EntryFacts of={entry} />
            <Sums of={entry} />
            <Together of={entry} />
          </Stack>
          <Card title="Steps">
            <Timeline
              steps={entry.steps.map(({ reference: its, verb, createdAt, isThis }) => ({
                title: isThis ? (
                  verbName(verb, entry.cause.type)
                ) : (
                  <ScreenLink to={`ledger/${its}`}>{verbName(verb, entry.cause.type)}</ScreenLink>
                ),
                at: createdAt,
                text: isThis && entry.steps.length > 1 ? 'This step' : undefined,
              }))}
            />
          </Card>
        </div>
      )}
    </DetailPage>
  )
}

function EntryFacts({ of: entry }: { of: LedgerEntry }) {
  const { from, to, sealed } = entry
  return (
    <Card title="Entry">
      <Facts>
        <Fact label="From" value={<Explained of={from} />} />
        <Fact label="To" value={<Explained of={to} />} />
        <Fact label="Source" value={<Cause of={entry.cause} isWhole />} />
        <Fact label="Date" at={entry.createdAt} />
        <Fact label="Reference" copy={entry.reference} />
        <Fact
          label="Sealed"
          value={
            sealed
              ? `Number ${sealed.number.toLocaleString('en-NG')} in the hash chain, which makes any change detectable`
              : 'Pending'
          }
        />
      </Facts>
    </Card>
  )
}

function Explained({ of }: { of: Account }) {
  const name = accountName(of)
  return (
    <Stack gap={0}>
      {of.subaccount ? (
        <ScreenLink to={`subaccounts/${of.subaccount.code}`}>{name}</ScreenLink>
      ) : (
        <ScreenLink to="ledger" search={{ account: accountKey(of) }}>
          {name}
        </ScreenLink>
      )}
      <Text span size="sm" c="dimmed">
        {ACCOUNTS[of.kind]?.says}
      </Text>
    </Stack>
  )
}

/** Lists the debits and credits of each account in this step. Their totals are always equal. */
function Sums({ of: { sums, currency, total } }: { of: LedgerEntry }) {
  const isPhone = useIsPhone()
  const all = money(total, currency)
  const rows = sums.map(({ account, debit, debitMinor, credit, creditMinor }) => ({
    id: accountKey(account),
    name: accountName(account),
    gave: debitMinor === 0 ? '' : money(debit, currency),
    got: creditMinor === 0 ? '' : money(credit, currency),
  }))
  return (
    <Card title="Debits and credits">
      <Table aria-label="Debits and credits by account">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Account</Table.Th>
            {isPhone ? (
              <Table.Th ta="right">Debit (−), credit (+)</Table.Th>
            ) : (
              <>
                <Table.Th ta="right">Debit</Table.Th>
                <Table.Th ta="right">Credit</Table.Th>
              </>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ id, name, gave, got }) => (
            <Table.Tr key={id}>
              <Table.Td className="breaks">{name}</Table.Td>
              {isPhone ? (
                <Table.Td ta="right" className="whole">
                  {gave && <div>− {gave}</div>}
                  {got && <div>+ {got}</div>}
                </Table.Td>
              ) : (
                <>
                  <Table.Td ta="right" className="whole">
                    {gave}
                  </Table.Td>
                  <Table.Td ta="right" className="whole">
                    {got}
                  </Table.Td>
                </>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th>{isPhone ? 'Total on each side' : 'Total'}</Table.Th>
            {!isPhone && (
              <Table.Th ta="right" className="whole">
                {all}
              </Table.Th>
            )}
            <Table.Th ta="right" className="whole">
              {all}
            </Table.Th>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Card>
  )
}

function Together({ of: { moves, id, currency } }: { of: LedgerEntry }) {
  if (moves.length < 2) return null
  return (
    <Card title="Posted together">
      <Table aria-label="Posted together">
        <Table.Tbody>
          {moves.map((move) => (
            <Table.Tr key={move.id}>
              <Table.Td>
                <Stack gap={0}>
                  {move.id === id ? (
                    <Text span inherit fw={600} aria-current="true">
                      {kindName(move.kind)}
                    </Text>
                  ) : (
                    <span>
                      <ScreenLink to={`ledger/${move.reference}`}>{kindName(move.kind)}</ScreenLink>
                    </span>
                  )}
                  <Text span size="sm" c="dimmed">
                    <FromTo of={move} />
                  </Text>
                </Stack>
              </Table.Td>
              <Table.Td ta="right" className="whole">
                {money(move.amount, currency)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  )
}
