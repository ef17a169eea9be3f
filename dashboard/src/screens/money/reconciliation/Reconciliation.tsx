import { Select, Text } from '@mantine/core'
import { IconRefresh, IconScale } from '@tabler/icons-react'
import { act, type Envelope, useRead } from '../../../api/hooks.ts'
import type { ListedReconciliationDay } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { DayInput } from '../../../ui/DayInput.tsx'
import { choice } from '../../../ui/Filters.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ListPage } from '../../../ui/ListPage.tsx'
import { useSearchState } from '../../../ui/navigation.ts'
import { dayOf } from '../../../ui/typed-days.ts'
import { useNewParam } from '../../../ui/use-new-param.ts'
import { Status, When, WithNote } from '../../../ui/values.tsx'
import { useConnections } from './connections.ts'
import { isBeingRead, noteAsked, useReload } from './reading.ts'

/** About three months of one connection. Earlier days are found with the filter "Before". */
const DAYS_MAX = '100'

export function Reconciliation() {
  const may = usePermission()
  const [isRunning, running] = useNewParam()
  const { options } = useConnections()
  const run = may('reconciliation:write') && (
    <ActionButton icon={IconRefresh} label="Compare days" isMain onClick={running.open} />
  )
  return (
    <>
      <ListPage
        title="Reconciliation"
        actions={
          <>
            <ActionButton
              icon={IconScale}
              label="Proof of funds"
              to="settings/providers#proof-of-funds"
            />
            {run}
          </>
        }
        operation="list_reconciliation_days"
        query={{ limit: DAYS_MAX }}
        cut="whole"
        filters={[
          choice('connectionId', 'Connection', options),
          choice('status', 'Status', ['Open', 'Closed']),
          { kind: 'day', name: 'before', label: 'Before' },
        ]}
        columns={[
          {
            label: 'Day',
            cell: (row) => <WithNote note={row.connection}>{dayOf(row.day)}</WithNote>,
          },
          {
            label: 'Status',
            cell: (row) => <Status of={stateOf(row)} />,
            onPhone: true,
          },
          { label: 'Matched', cell: ({ matched }) => matched, align: 'right' },
          { label: 'Not final', cell: ({ waiting }) => waiting, align: 'right' },
          {
            label: 'Differences',
            cell: ({ differences }) => <Differing count={differences} />,
            align: 'right',
          },
          { label: 'Compared', cell: ({ runAt }) => <When at={runAt} />, align: 'right' },
        ]}
        keyOf={({ connectionId, day }) => `${connectionId} ${day}`}
        hrefOf={({ connectionId, day }) => `reconciliation/${connectionId}/days/${day}`}
        empty={{
          title: 'No days yet',
          text: 'Every morning, we compare what your providers list for the day before with our own books. You can also compare any day now.',
          ...(run && { action: run }),
        }}
      >
        <Text c="dimmed" size="sm">
          Each day of each provider, compared with our books.
        </Text>
        <Reload />
      </ListPage>
      <RunForm opened={isRunning} onClose={running.close} />
    </>
  )
}

/** A day is closed once both sides agree. */
export const stateOf = (day: ListedReconciliationDay): string =>
  isBeingRead(day) ? 'BeingCompared' : day.problem ? 'Incomplete' : day.status

export const Differing = ({ count }: { count: number }) => (
  <Text span inherit {...(count > 0 && { c: 'var(--bad)', fw: 600 })}>
    {count}
  </Text>
)

/** Reads the same list as the table, so the cache has it. */
function Reload() {
  const [{ connectionId, status, before }] = useSearchState()
  const { data } = useRead<Envelope<ListedReconciliationDay[]>>(
    at('list_reconciliation_days').path,
    { limit: DAYS_MAX, connectionId, status, before },
  )
  useReload(data?.data.some(isBeingRead) ?? false)
  return null
}

interface Asked extends Record<string, unknown> {
  connectionId: string
  from: string
  until: string
}

const DAY_MS = 24 * 3_600_000

/** Providers list their days in Lagos. Swedish dates have the format of the API. */
const yesterday = (): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'Africa/Lagos', dateStyle: 'short' }).format(
    Date.now() - DAY_MS,
  )

function RunForm(dialog: DialogProps) {
  const { readable } = useConnections()
  const day = yesterday()
  return (
    <FormModal<Asked, { data: ListedReconciliationDay[] }>
      title="Compare days"
      {...dialog}
      initial={{ connectionId: readable[0]?.value ?? '', from: day, until: day }}
      action={act('run_reconciliation', {
        input: ({ connectionId, from, until }: Asked) => ({
          connectionId: Number(connectionId),
          from,
          ...(until && { until }),
        }),
        done: 'The days are being compared.',
      })}
      onDone={({ data }) => noteAsked(data)}
      validate={{
        connectionId: (value) => (value ? null : 'Choose a connection.'),
        from: (value) => (value ? null : 'Enter a day.'),
      }}
      verb="Compare"
    >
      {(form) => (
        <>
          <Text size="sm">
            We read what the provider lists for these days, and compare it with our books. Up to 31
            days at once.
          </Text>
          <Select
            label="Connection"
            required
            allowDeselect={false}
            data={readable}
            {...form.field('connectionId')}
          />
          <DayInput label="From" required {...form.field('from')} />
          <DayInput label="Until" {...form.field('until')} />
        </>
      )}
    </FormModal>
  )
}
