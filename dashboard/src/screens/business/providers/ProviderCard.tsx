import { Alert, Divider, Group, Stack, Text } from '@mantine/core'
import { useOperation } from '../../../api/hooks.ts'
import type { PaymentOrder } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import { Card, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { formatState, money, sentence } from '../../../ui/values.tsx'

const KINDS = {
  get_payment_orders: 'charge',
  get_transfer_orders: 'transfer',
  get_settlement_orders: 'settlement',
  get_refund_orders: 'refund',
  get_bill_orders: 'bill',
  get_deposit_orders: 'deposit_return',
} as const

type Operation = keyof typeof KINDS

/** Shows which provider has a record, and how its support team can find it there. */
export function ProviderCard({
  title = 'Provider',
  orders,
  id,
  currency,
}: {
  title?: string
  orders: Operation
  id: number
  currency: string
}) {
  const { data } = useOperation(orders, { id })
  const found = data?.data ?? []
  if (found.length === 0) return null
  return (
    <Card title={title}>
      <Stack gap="md">
        {found.map((order, i) => (
          <Stack key={order.attempt} gap="md">
            {i > 0 && <Divider />}
            {order.needsDecision && <Unresolved kind={KINDS[orders]} id={id} />}
            <Order of={order} currency={currency} isOnly={found.length === 1} />
          </Stack>
        ))}
      </Stack>
    </Card>
  )
}

/** Without it, people could take an order with an unknown outcome for one that was not sent. */
function Unresolved({ kind, id }: { kind: (typeof KINDS)[Operation]; id: number }) {
  const may = usePermission()
  return (
    <Alert color="yellow" title="A person has to look at this order">
      <Text size="sm">
        Look at it before you do the same again: what happened at the provider may not be certain.
      </Text>
      {may('reconciliation:read') && (
        <Group mt={4}>
          <ScreenLink to={`unresolved/${kind}-${id}`} size="sm" inherit={false}>
            See what the provider has said
          </ScreenLink>
        </Group>
      )}
    </Alert>
  )
}

function Order({ of, currency, isOnly }: { of: PaymentOrder; currency: string; isOnly: boolean }) {
  const may = usePermission()
  const isReal = of.provider !== 'simulator'
  // An order that was replaced can still be held up there.
  const isOpen = of.endedAt === null || of.state === 'Blocked'
  const name = of.name === of.title ? of.title : `${of.name} (${of.title})`
  return (
    <Facts>
      <Fact
        label="Provider"
        value={
          isReal && may('providers:read') ? (
            <ScreenLink to={`settings/providers/${of.connectionId}`}>{name}</ScreenLink>
          ) : isReal ? (
            name
          ) : (
            'Simulator'
          )
        }
      />
      <Fact label="Attempt" value={isOnly ? undefined : of.attempt} />
      <Fact label="Reference there" copy={of.reference} />
      <Fact label="Provider’s ID" copy={of.providerId} value={undefined} />
      <Fact label="Bank session ID" copy={of.sessionId} value={undefined} />
      <Fact label="State there" value={of.state === null ? undefined : formatState(of.state)} />
      <Fact label="Last message" value={isOpen ? sentence(of.message) : undefined} />
      <Fact label="Provider’s fee" value={of.fee === null ? undefined : money(of.fee, currency)} />
      <Fact label="Sent" value={of.sentAt === null ? 'Not yet' : undefined} at={of.sentAt} />
    </Facts>
  )
}
