import { Group, Text } from '@mantine/core'
import { useMode } from '../api/history.ts'
import { type Action, act, useAction } from '../api/hooks.ts'
import { usePermission } from '../api/permissions.ts'
import type { Input } from '../api/request.ts'
import { ActionButton } from './buttons.tsx'
import { Card } from './DetailPage.tsx'

type Kind = 'ussd' | 'card' | 'transfer' | 'refund' | 'utility' | 'dispute'
type Outcome<Of extends Kind> = Input<
  Of extends 'dispute' ? 'simulate_dispute_outcome' : `simulate_${Exclude<Of, 'dispute'>}`
>['outcome']

/** The outcomes to choose from, by their names in the simulator. */
type Outcomes<Of extends Kind> = { [outcome in Outcome<Of>]?: string }

const done = 'Outcome simulated.'
const ACTIONS: { [Of in Kind]: (reference: string) => Action<Outcome<Of>> } = {
  ussd: (reference) =>
    act('simulate_ussd', { input: (outcome: Outcome<'ussd'>) => ({ reference, outcome }), done }),
  card: (reference) =>
    act('simulate_card', { input: (outcome: Outcome<'card'>) => ({ reference, outcome }), done }),
  transfer: (reference) =>
    act('simulate_transfer', {
      input: (outcome: Outcome<'transfer'>) => ({ reference, outcome }),
      done,
    }),
  refund: (reference) =>
    act('simulate_refund', {
      input: (outcome: Outcome<'refund'>) => ({ reference, outcome }),
      done,
    }),
  utility: (reference) =>
    act('simulate_utility', {
      input: (outcome: Outcome<'utility'>) => ({ reference, outcome }),
      done,
    }),
  dispute: (reference) =>
    act('simulate_dispute_outcome', {
      input: (outcome: Outcome<'dispute'>) => ({ reference, outcome }),
      done,
    }),
}

/**
 * Lets users decide, in test mode, what a bank, a biller or a payer does with a record. Hidden in
 * live mode, without the permission, and if nothing is left to decide.
 */
export function SimulateOutcome<Of extends Kind>({
  of: reference,
  kind,
  outcomes,
}: {
  of: string
  kind: Of
  outcomes: Outcomes<Of>
}) {
  const may = usePermission()
  const mode = useMode()
  const decide = useAction(ACTIONS[kind](reference))
  const choices = Object.entries(outcomes) as [Outcome<Of>, string][]
  if (mode !== 'test' || !may('simulator:write') || choices.length === 0) return null
  return (
    <div className="test-card">
      <Card title="Simulate the outcome">
        <Text size="sm" c="dimmed" mb="sm">
          There is no real bank in test mode. Choose what happens next.
        </Text>
        <Group gap="xs">
          {choices.map(([outcome, label]) => (
            <ActionButton
              label={label}
              key={outcome}
              size="sm"
              loading={decide.isPending && decide.variables === outcome}
              disabled={decide.isPending && decide.variables !== outcome}
              onClick={() => decide.mutate(outcome)}
            />
          ))}
        </Group>
      </Card>
    </div>
  )
}

const NONE = {}
const ENDS = { success: 'It succeeds', failed: 'It fails' }

/* Each of these returns what the bank, the biller or the payer can still do with a record. */

export const ofPayment = ({
  channel,
  status,
}: {
  channel: string
  status: string
}): Outcomes<'ussd' | 'card'> => {
  if (status !== 'Pending') return NONE
  if (channel === 'USSD') return { success: 'The payer approves', failed: 'The payer declines' }
  return channel === 'CARD' ? { success: 'The payer pays', failed: 'The card is declined' } : NONE
}

/** The outcome of a transfer that was returned can't change. */
export function ofTransfer(of: {
  status: string
  reversedAt: string | null
}): Outcomes<'transfer'> {
  if (of.status === 'Pending') {
    return { ...ENDS, blocked: 'The bank holds it', rejected: 'The bank rejects it' }
  }
  if (of.status === 'Blocked') return ENDS
  return of.status === 'Successful' && !of.reversedAt ? { returned: 'The bank returns it' } : NONE
}

/** To the bank, a settlement is a transfer. */
export const ofSettlement = ({ status }: { status: string }): Outcomes<'transfer'> =>
  status === 'Pending' ? ENDS : NONE

export function ofRefund({ status }: { status: string }): Outcomes<'refund'> {
  if (status === 'NeedsAttention') return ENDS
  return ['Pending', 'Processing'].includes(status)
    ? { ...ENDS, needs_attention: 'It needs attention' }
    : NONE
}

export const ofDispute = ({
  provider,
  closedAt,
}: {
  provider: string
  closedAt: string | null
}): Outcomes<'dispute'> =>
  provider === 'simulator' && closedAt === null
    ? { won: 'The bank decides for you', lost: 'The bank decides for the payer' }
    : NONE

export const ofBill = ({ status }: { status: string }): Outcomes<'utility'> =>
  status === 'Pending'
    ? { success: 'The bill payment succeeds', failed: 'The bill payment fails' }
    : NONE
