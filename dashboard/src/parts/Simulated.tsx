import { Button, Group, Text } from '@mantine/core'
import { useAction } from '../api/hooks.ts'
import { useMay } from '../shell/may.ts'
import { useMode } from '../shell/where.ts'
import { t } from '../texts/simulator.ts'
import { Card } from './DetailPage.tsx'

/** What can be decided, by the name that the simulator has for it. */
export type Outcomes = Record<string, string>

/**
 * In test mode, what a bank, a biller or a payer would do with a record, to be decided by hand.
 * Nothing is shown in live mode, to who may not, or where nothing is left to decide.
 */
export function Simulated({
  of: reference,
  kind,
  outcomes,
}: {
  of: string
  /** The operation of the simulator: `/api/simulator/<kind>`. */
  kind: 'ussd' | 'transfer' | 'refund' | 'utility'
  outcomes: Outcomes
}) {
  const may = useMay()
  const mode = useMode()
  const decide = useAction<unknown, string>({
    path: `/api/simulator/${kind}`,
    send: (outcome) => ({ reference, outcome }),
    done: t.decided,
  })
  const choices = Object.entries(outcomes)
  if (mode !== 'test' || !may('simulator:write') || choices.length === 0) return null
  return (
    <div className="test-card">
      <Card title={t.card}>
        <Text size="sm" c="dimmed" mb="sm">
          {t.cardText}
        </Text>
        <Group gap="xs">
          {choices.map(([outcome, label]) => (
            <Button
              key={outcome}
              size="sm"
              variant="default"
              loading={decide.isPending && decide.variables === outcome}
              disabled={decide.isPending && decide.variables !== outcome}
              onClick={() => decide.mutate(outcome)}
            >
              {label}
            </Button>
          ))}
        </Group>
      </Card>
    </div>
  )
}
