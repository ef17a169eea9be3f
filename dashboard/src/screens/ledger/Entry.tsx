import { Stack, Table, Text } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card, DetailPage, Facts } from '../../parts/DetailPage.tsx'
import { useIsPhone } from '../../parts/Filters.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Timeline } from '../../parts/Timeline.tsx'
import { Copyable, money, When } from '../../parts/values.tsx'
import { t } from '../../texts/ledger.ts'
import { Cause, kindName } from '../wallet/causes.tsx'
import { FromTo } from './FromTo.tsx'
import { ACCOUNTS, accountName, verbName } from './names.ts'
import type { Account, Entry as Whole } from './types.ts'

/** One movement of the books, and all that was posted with it. */
export function Entry() {
  const { reference } = useParams({ strict: false }) as { reference: string }
  const read = useRead<Envelope<Whole>>(`/console/ledger/${encodeURIComponent(reference)}`)
  const entry = read.data?.data
  return (
    <DetailPage
      back={{ to: 'ledger', label: t.ledger }}
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
          <Card title={t.whatItDidToThe}>
            <Timeline
              steps={entry.steps.map(({ reference: its, verb, createdAt, isThis }) => ({
                title: isThis ? (
                  verbName(verb)
                ) : (
                  <ScreenLink to={`ledger/${its}`}>{verbName(verb)}</ScreenLink>
                ),
                at: createdAt,
                text: isThis && entry.steps.length > 1 ? t.thisStep : undefined,
              }))}
            />
          </Card>
        </div>
      )}
    </DetailPage>
  )
}

function EntryFacts({ of: entry }: { of: Whole }) {
  const { from, to, sealed } = entry
  return (
    <Card title={t.entry}>
      <Facts
        of={{
          [t.from]: <Explained of={from} />,
          [t.to]: <Explained of={to} />,
          [t.becauseOf]: <Cause of={entry.cause} isWhole />,
          [t.when]: <When at={entry.createdAt} />,
          [t.reference]: <Copyable text={entry.reference} />,
          [t.sealed]: sealed
            ? t.numberInTheChainAny(sealed.number.toLocaleString('en-NG'))
            : t.inAMoment,
        }}
      />
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
        <ScreenLink to="ledger" search={{ account: of.kind }}>
          {name}
        </ScreenLink>
      )}
      <Text span size="sm" c="dimmed">
        {ACCOUNTS[of.kind]?.says}
      </Text>
    </Stack>
  )
}

/** What each account gave and got in this step: the two always come to the same. */
function Sums({ of: { sums, currency, total } }: { of: Whole }) {
  const isPhone = useIsPhone()
  const all = money(total, currency)
  const rows = sums.map(({ account, debit, debitMinor, credit, creditMinor }) => ({
    id: account.subaccount?.code ?? account.kind,
    name: accountName(account),
    gave: debitMinor === 0 ? '' : money(debit, currency),
    got: creditMinor === 0 ? '' : money(credit, currency),
  }))
  return (
    <Card title={t.itBalances}>
      <Table aria-label={t.whatEachAccountGaveAnd}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.account}</Table.Th>
            {isPhone ? (
              <Table.Th ta="right">{t.gaveGot}</Table.Th>
            ) : (
              <>
                <Table.Th ta="right">{t.gaveDebit}</Table.Th>
                <Table.Th ta="right">{t.gotCredit}</Table.Th>
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
            <Table.Th>{isPhone ? t.onEitherSide : t.inAll}</Table.Th>
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

/** The other movements of the same step. */
function Together({ of: { moves, id, currency } }: { of: Whole }) {
  if (moves.length < 2) return null
  return (
    <Card title={t.postedTogether}>
      <Table aria-label={t.postedTogether}>
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
