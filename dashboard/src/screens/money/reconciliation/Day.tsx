import { Alert, Stack, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import type { Difference, ReconciliationDay, ReconciliationEntry } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { choice } from '../../../ui/Filters.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { dayOf } from '../../../ui/typed-days.ts'
import {
  Copyable,
  Money,
  minorMoney,
  Status,
  shortReference,
  When,
  WithNote,
} from '../../../ui/values.tsx'
import {
  differenceName,
  ENTRY_CLASS_OPTIONS,
  ENTRY_KIND_OPTIONS,
  entryClassName,
  kindName,
  orderScreen,
} from './names.ts'
import { stateOf } from './Reconciliation.tsx'
import { isBeingRead, noteAsked, useReload } from './reading.ts'
import './reconciliation.css'

/** One day of one connection. */
export function Day() {
  const { connectionId, day } = useParams({
    from: '/$mode/reconciliation/$connectionId/days/$day',
  })
  const key = { connectionId: Number(connectionId), day }
  const read = useOperation('get_reconciliation_day', key)
  const found = read.data?.data
  useReload(found !== undefined && isBeingRead(found))
  return (
    <DetailPage
      back={{ to: 'reconciliation', label: 'Reconciliation' }}
      title={found && `${dayOf(day)}, ${found.connection}`}
      status={found && <Status of={stateOf(found)} />}
      read={read}
      actions={found && <Again of={found} />}
    >
      {found && (
        <>
          <Notes of={found} />
          <div className="beside">
            <Stack gap="lg" miw={0}>
              <Differences of={key} />
              <Result of={found} />
            </Stack>
            {found.balances.length > 0 && (
              <Stack gap="lg">
                {found.balances.map((balance) => (
                  <Balance key={balance.currency} of={balance} />
                ))}
              </Stack>
            )}
          </div>
          <Entries of={found} />
        </>
      )}
    </DetailPage>
  )
}

function Again({ of }: { of: ReconciliationDay }) {
  const may = usePermission()
  const { connectionId, day } = of
  const again = useAction(
    act('run_reconciliation', {
      input: () => ({ connectionId, from: day }),
      done: 'The day is being compared.',
    }),
  )
  if (!may('reconciliation:write')) return null
  return (
    <ActionButton
      icon={IconRefresh}
      label="Compare again"
      loading={again.isPending || isBeingRead(of)}
      onClick={() => again.mutate(undefined, { onSuccess: ({ data }) => noteAsked(data) })}
    />
  )
}

function Notes({ of }: { of: ReconciliationDay }) {
  const { problem, status, waiting, differences, nextRunAt } = of
  if (isBeingRead(of)) return <Alert color="blue">This day is being compared.</Alert>
  if (problem) {
    return (
      <Alert color="red" title="This day could not be compared completely">
        {problem}{' '}
        {nextRunAt && (
          <>
            The next attempt is at <When at={nextRunAt} />.
          </>
        )}
      </Alert>
    )
  }
  if (status === 'Closed') {
    return <Alert color="green">The provider and your books agree about this day.</Alert>
  }
  if (differences > 0 || waiting === 0) return null
  return (
    <Alert color="yellow">
      {waiting === 1 ? 'One entry is' : `${waiting} entries are`} not final yet. The day is compared
      again every morning for a week.
    </Alert>
  )
}

function Result({ of }: { of: ReconciliationDay }) {
  return (
    <Card title="Result">
      <Facts>
        <Fact label="Connection" value={of.connection} />
        <Fact label="Matched" value={of.matched} />
        <Fact label="Not final" value={of.waiting} />
        <Fact label="Open differences" value={of.differences} />
        <Fact label="Compared" at={of.runAt} value="Not yet" />
        <Fact label="Compared again" at={of.nextRunAt} />
      </Facts>
    </Card>
  )
}

function Balance({ of }: { of: ReconciliationDay['balances'][number] }) {
  const { currency, at: when, theirsMinor, ledgerMinor, explainedMinor, unexplainedMinor } = of
  return (
    <Card title={`Balance in ${currency}`}>
      <Facts>
        <Fact label="At the provider" value={minorMoney(theirsMinor, currency)} />
        <Fact label="In our ledger" value={minorMoney(ledgerMinor, currency)} />
        <Fact label="Explained" value={minorMoney(explainedMinor, currency)} />
        <Fact
          label="Not explained"
          value={
            <Text span inherit {...(unexplainedMinor !== 0 && { c: 'var(--bad)', fw: 600 })}>
              {minorMoney(unexplainedMinor, currency)}
            </Text>
          }
        />
        <Fact label="As of" at={when} />
      </Facts>
    </Card>
  )
}

/** Hidden if there are none. */
function Differences({ of: key }: { of: { connectionId: number; day: string } }) {
  const { data } = useOperation('list_differences', { ...key, limit: 100 })
  const found = data?.data ?? []
  if (found.length === 0) return null
  return (
    <Card title="Differences">
      <div className="differences">
        {found.map((one) => (
          <OneDifference key={one.reference} of={one} />
        ))}
      </div>
    </Card>
  )
}

function OneDifference({ of }: { of: Difference }) {
  const { reference, status, oursMinor, theirsMinor, currency } = of
  return (
    <div className="difference">
      <div>
        <ScreenLink to={`differences/${reference}`} fw={600}>
          {differenceName(of)}
        </ScreenLink>
        {currency && (
          <Text size="sm" c="dimmed">
            We have {minorMoney(oursMinor, currency)}, they have {minorMoney(theirsMinor, currency)}
          </Text>
        )}
      </div>
      <Status of={status} />
    </div>
  )
}

function Entries({ of: { connectionId, day } }: { of: ReconciliationDay }) {
  return (
    <ListPage
      title="What the provider lists"
      isPart
      operation="list_reconciliation_entries"
      query={{ connectionId: String(connectionId), day }}
      csv="export_reconciliation_entries"
      filters={[
        choice('class', 'Result', ENTRY_CLASS_OPTIONS),
        choice('kind', 'Kind', ENTRY_KIND_OPTIONS),
      ]}
      columns={[
        {
          label: 'Kind',
          cell: ({ kind, status }) => <WithNote note={status}>{kindName(kind)}</WithNote>,
        },
        {
          label: 'Result',
          cell: (entry) => entryClassName(entry.class),
          onPhone: 'below',
        },
        {
          label: 'Ours',
          cell: (entry) => <Ours of={entry} />,
          onPhone: 'below',
        },
        {
          label: 'Provider’s ID',
          cell: ({ providerId }) => (
            <Copyable text={providerId} shown={shortReference(providerId)} />
          ),
          isWide: true,
        },
        {
          label: 'Amount',
          align: 'right',
          cell: ({ amount, currency, feeMinor }) => (
            <WithNote note={feeMinor ? `Fee ${minorMoney(feeMinor, currency)}` : undefined}>
              <Money amount={amount} currency={currency} />
            </WithNote>
          ),
          onPhone: true,
        },
        {
          label: 'Date',
          align: 'right',
          cell: ({ at: when }) => <When at={when} />,
          onPhone: true,
        },
      ]}
      keyOf={({ kind, providerId }) => `${kind} ${providerId}`}
      empty={{
        title: 'Nothing listed',
        text: 'The provider lists no payments, transfers or other movements for this day.',
      }}
    />
  )
}

function Ours({ of: { order } }: { of: ReconciliationEntry }) {
  if (!order) return '–'
  const screen = orderScreen(order.kind, order.reference)
  const name = order.reference ? shortReference(order.reference) : kindName(order.kind)
  return screen ? <ScreenLink to={screen}>{name}</ScreenLink> : name
}
