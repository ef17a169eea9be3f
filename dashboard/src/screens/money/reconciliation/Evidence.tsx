import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Difference } from '../../../api/operations.ts'
import { Card, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { formatState, minorMoney } from '../../../ui/values.tsx'
import { orderName } from './names.ts'
import './reconciliation.css'

type Part = Record<string, unknown>

/** The parts of the evidence that come from our own books. The others are the provider's. */
const OURS = ['order', 'deposit', 'dispute']

/** What both sides said when the difference was last seen. */
export function Evidence({ of: { evidence } }: { of: Difference }) {
  const parts = Object.entries(evidence as Record<string, Part>).filter(
    ([name, part]) => name !== 'balance' && part !== null && typeof part === 'object',
  )
  const balance = evidence.balance as Part | undefined
  const [ours, theirs] = [true, false].map((isOurs) =>
    parts.filter(([name]) => OURS.includes(name) === isOurs),
  )
  return (
    <Stack gap="lg">
      {balance && (
        <Card title="Balance">
          <Facts>
            <Lines of={balance} />
          </Facts>
        </Card>
      )}
      {!balance && (
        <>
          <Side
            title="What we have"
            of={ours}
            empty="Our books have nothing that this belongs to."
          />
          <Side title="What the provider has" of={theirs} empty="The provider does not list it." />
        </>
      )}
    </Stack>
  )
}

function Side({
  title,
  of: parts = [],
  empty,
}: {
  title: string
  of: [string, Part][] | undefined
  empty: string
}) {
  return (
    <Card title={title}>
      {parts.length === 0 ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <Facts>
          {parts.map(([name, part]) => (
            <Lines key={name} of={part} />
          ))}
        </Facts>
      )}
    </Card>
  )
}

const LABELS: Record<string, string> = {
  kind: 'Kind',
  reference: 'Reference',
  sentReference: 'Reference sent',
  providerId: 'Provider’s ID',
  state: 'State',
  status: 'State',
  type: 'Notification',
  returnStatus: 'Return',
  amountMinor: 'Amount',
  feeMinor: 'Fee',
  lostMinor: 'Taken back',
  theirsMinor: 'At the provider',
  ledgerMinor: 'In our ledger',
  explainedMinor: 'Explained',
  unexplainedMinor: 'Not explained',
  at: 'Date',
  sentAt: 'Sent',
  endedAt: 'Ended',
  message: 'Message',
}

const COPIED = ['reference', 'sentReference', 'providerId']

const ORDER = Object.keys(LABELS)
/** Fields without a label come last. */
const placeOf = (name: string): number => (name in LABELS ? ORDER.indexOf(name) : ORDER.length)

/** Each stored figure and name. The database does not keep their order. */
function Lines({ of: part }: { of: Part }) {
  const currency = typeof part.currency === 'string' ? part.currency : undefined
  return Object.entries(part)
    .filter(([name, value]) => name !== 'currency' && value !== null && value !== undefined)
    .sort(([a], [b]) => placeOf(a) - placeOf(b))
    .map(([name, value]) => {
      const label = LABELS[name] ?? formatState(name)
      if (COPIED.includes(name)) return <Fact key={name} label={label} copy={String(value)} />
      if (name === 'at' || name.endsWith('At')) {
        return <Fact key={name} label={label} at={String(value)} />
      }
      return <Fact key={name} label={label} value={shownValue(name, value, currency)} />
    })
}

function shownValue(name: string, value: unknown, currency: string | undefined): ReactNode {
  if (name.endsWith('Minor')) return minorMoney(Number(value), currency)
  if (name === 'kind') return orderName(String(value))
  return String(value)
}
