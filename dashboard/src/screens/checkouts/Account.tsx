import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconBuildingBank } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type {
  Checkout,
  CreateCheckoutVirtualAccountAnswer,
} from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { Card, Facts } from '../../parts/DetailPage.tsx'
import { Copyable, money, When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { useHref, useMode } from '../../shell/where.ts'
import { t } from '../../texts/checkout.ts'

/** An account number for a payer who is on the phone; asked for again, it is the same one. */
export function Account({ of: { reference } }: { of: Checkout }) {
  const act = useAction<{ data: CreateCheckoutVirtualAccountAnswer }>({
    path: 'payment-service/payment-pages/initiate-initialize-checkout-dynamic-virtual-account',
    send: () => ({ reference }),
  })
  const account = act.data?.data
  return (
    <Card title={t.account}>
      <Stack align="flex-start">
        <Text size="sm" c="dimmed">
          {t.accountText}
        </Text>
        {account?.accountNumber ? (
          <AccountFacts of={account} />
        ) : (
          <>
            {account && <Alert color="yellow">{t.accountNone}</Alert>}
            <Button
              variant="default"
              leftSection={<IconBuildingBank size={16} />}
              loading={act.isPending}
              onClick={() => act.mutate()}
            >
              {t.accountMake}
            </Button>
          </>
        )}
      </Stack>
    </Card>
  )
}

function AccountFacts({ of }: { of: CreateCheckoutVirtualAccountAnswer }) {
  const href = useHref()
  const mode = useMode()
  const may = useMay()
  return (
    <>
      <Facts
        of={{
          [t.accountNumber]: <Copyable text={of.accountNumber ?? ''} />,
          [t.accountBank]: of.bankName,
          [t.accountHolder]: of.accountName,
          [t.amount]: money(of.amount, of.currency),
          [t.until]: <When at={of.expiresAt} />,
        }}
      />
      {mode === 'test' && may('simulator:write') && (
        <Group>
          <Button
            component={Link}
            variant="default"
            to={href('simulator')}
            search={{ account: of.accountNumber, amount: String(of.amount) } as never}
          >
            {t.accountPay}
          </Button>
        </Group>
      )}
    </>
  )
}
