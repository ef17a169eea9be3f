import { Group, Stack, Text } from '@mantine/core'
import type { Subaccount, SubaccountBalance } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Figures } from '../../parts/Figures.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { Failure } from '../../parts/states.tsx'
import { money, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/subaccounts.ts'

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
              label: t.owed,
              value: money(balance.owed, balance.currency),
              hint: t.itsSharesLessRefunds,
            },
            {
              label: t.onItsWay,
              value: money(balance.pending, balance.currency),
              hint: t.inSettlementsUnderWay,
            },
            {
              label: t.paidOut,
              value: money(balance.paidOut, balance.currency),
              hint: t.arrivedAtItsBank,
            },
          ]
        }
      />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" component="div">
          {balance?.nextSettlementAt ? (
            <>
              {t.theNextSettlementIsDue} <When at={balance.nextSettlementAt} />.
            </>
          ) : balance && balance.owed > 0 && !bankCode ? (
            t.whatItIsOwedWaits
          ) : (
            t.nothingIsWaitingToBe
          )}
        </Text>
        {may('wallet:read') && (
          <Text size="sm">
            <ScreenLink to="ledger" search={{ account: code }}>
              {t.seeItsLedger}
            </ScreenLink>
          </Text>
        )}
      </Group>
    </Stack>
  )
}
