import { Group, Stack, Text } from '@mantine/core'
import type { Subaccount, SubaccountBalance } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Figures } from '../../parts/Figures.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Failure } from '../../parts/states.tsx'
import { money, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'

/** What it is owed, what is on its way to it, and what it got, as the books have it. */
export function Balance({ of: { subaccount_code: code, bankCode } }: { of: Subaccount }) {
  const may = useMay()
  const read = useRead<Envelope<SubaccountBalance>>(
    `transaction-service/subaccounts/${code}/balance`,
  )
  const balance = read.data?.data
  if (read.error && !balance) {
    return <Failure error={read.error} again={() => void read.refetch()} />
  }
  return (
    <Stack gap="xs">
      <Figures
        count={3}
        of={
          balance && [
            {
              label: 'Owed',
              value: money(balance.owed, balance.currency),
              hint: 'its shares, less refunds',
            },
            {
              label: 'On its way',
              value: money(balance.pending, balance.currency),
              hint: 'in settlements under way',
            },
            {
              label: 'Paid out',
              value: money(balance.paidOut, balance.currency),
              hint: 'arrived at its bank',
            },
          ]
        }
      />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" component="div">
          {balance?.nextSettlementAt ? (
            <>
              The next settlement is due <When at={balance.nextSettlementAt} />.
            </>
          ) : balance && balance.owed > 0 && !bankCode ? (
            'What it is owed waits until you name the bank of its account.'
          ) : (
            'Nothing is waiting to be paid out.'
          )}
        </Text>
        {may('wallet:read') && (
          <Text size="sm">
            <ScreenLink to="ledger" search={{ account: code }}>
              See its ledger
            </ScreenLink>
          </Text>
        )}
      </Group>
    </Stack>
  )
}
