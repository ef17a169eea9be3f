import { Group, Stack, Text } from '@mantine/core'
import type { ListedSettlement, Subaccount } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { money, Status, When } from '../../parts/values.tsx'
import { t } from '../../texts/subaccounts.ts'

/** Its newest settlements, with the way to all of them. */
export function PaidOut({ of: { subaccount_code: code } }: { of: Subaccount }) {
  const { data } = useRead<Envelope<ListedSettlement[]>>('transaction-service/settlements', {
    subaccount: code,
    limit: 5,
  })
  const settlements = data?.data
  if (!settlements) return null
  return (
    <Card
      title={t.settlements}
      actions={
        settlements.length > 0 && (
          <ScreenLink to="settlements" search={{ subaccount: code }}>
            {t.seeAll}
          </ScreenLink>
        )
      }
    >
      {settlements.length === 0 ? (
        <Text c="dimmed">{t.nothingHasBeenPaidOut}</Text>
      ) : (
        <Stack gap="sm">
          {settlements.map(({ reference, amount, currency, status, count, createdAt }) => (
            <Group key={reference} justify="space-between" align="flex-start" wrap="nowrap">
              <Stack gap={0}>
                <ScreenLink to={`settlements/${reference}`}>{money(amount, currency)}</ScreenLink>
                <Text size="sm" c="dimmed">
                  {count === 1 ? t.oneLine : `${count} lines`}
                </Text>
              </Stack>
              <Stack gap={4} align="flex-end">
                <Status of={status} />
                <Text size="sm" c="dimmed" component="div">
                  <When at={createdAt} />
                </Text>
              </Stack>
            </Group>
          ))}
        </Stack>
      )}
    </Card>
  )
}
