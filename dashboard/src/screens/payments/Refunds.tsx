import { Group, Stack, Text } from '@mantine/core'
import type { Refund } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { ScreenLink } from '../../parts/links.tsx'
import { money, Status, When } from '../../parts/values.tsx'
import { t } from '../../texts/payments.ts'
import type { Payment } from './types.ts'

/** What was given back of a payment; nothing is shown where nothing was. */
export function Refunds({ of: { reference } }: { of: Payment }) {
  const { data } = useRead<Envelope<Refund[]>>('transaction-service/refunds', {
    transactionReference: reference,
    limit: 50,
  })
  const refunds = data?.data ?? []
  if (refunds.length === 0) return null
  return (
    <Card title={t.refunds}>
      <Stack gap="sm">
        {refunds.map(({ reference: its, amount, currency, status, reason, createdAt }) => (
          <Group key={its} justify="space-between" align="flex-start">
            <Stack gap={0}>
              <ScreenLink to={`refunds/${its}`}>{money(amount, currency)}</ScreenLink>
              <Text size="sm" c="dimmed">
                {reason ?? t.noReasonGiven}
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
    </Card>
  )
}
