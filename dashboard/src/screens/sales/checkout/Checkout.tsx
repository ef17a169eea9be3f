import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconBuildingBank, IconX } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type {
  Checkout as CheckoutRecord,
  CreateCheckoutVirtualAccountResponse,
} from '../../../../../sdk/src/operations.ts'
import { useMode } from '../../../api/history.ts'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import type { RecordsScreen } from '../../../ui/navigation.ts'

import { Sharing } from '../../../ui/Sharing.tsx'
import { channelName, Json, money, Status, When } from '../../../ui/values.tsx'

export function Checkout() {
  const { reference } = useParams({ from: '/$mode/checkouts/$reference' })
  const read = useOperation('get_checkout', { reference })
  const checkout = read.data?.data
  const isOpen = checkout?.state === 'Open'
  const may = usePermission()
  return (
    <DetailPage
      back={{ to: 'checkouts', label: 'Checkouts' }}
      title={checkout && money(checkout.amount, checkout.currency)}
      status={<Status of={checkout?.state} />}
      read={read}
      actions={isOpen && may('checkout:write') && <Cancel reference={reference} />}
    >
      {checkout && (
        <>
          {isOpen && (
            <Sharing
              link={checkout.authorizationUrl}
              title={money(checkout.amount, checkout.currency)}
              text="Anyone with this link can pay until it expires."
            />
          )}
          {isOpen && checkout.channels.includes('BANK_TRANSFER') && may('checkout:write') && (
            <Account key={reference} of={checkout} />
          )}
          <CheckoutFacts of={checkout} />
          {checkout.metadata && (
            <Card title="Metadata">
              <Json value={checkout.metadata} />
            </Card>
          )}
        </>
      )}
    </DetailPage>
  )
}

function Cancel({ reference }: { reference: string }) {
  const action = useAction(
    act('cancel_checkout', { input: () => ({ reference }), done: 'Link cancelled.' }),
  )
  return (
    <ActionButton
      icon={IconX}
      label="Cancel link"
      loading={action.isPending}
      onClick={() =>
        confirm({
          title: 'Cancel this link?',
          text: 'Payers will no longer be able to use this link. We will return any payment that arrives later.',
          verb: 'Cancel link',
          isDangerous: true,
          go: () => action.mutate(),
        })
      }
    />
  )
}

function CheckoutFacts({ of }: { of: CheckoutRecord }) {
  return (
    <Card title="Checkout">
      <Facts>
        <Fact label="Payer" value={of.customer.name ?? undefined} />
        <Fact label="Email" value={of.customer.email} />
        <Fact label="Phone number" value={of.customer.phone ?? undefined} />
        <Fact label="Amount" value={money(of.amount, of.currency)} />
        <Fact label="Payment methods" value={of.channels.map(channelName).join(', ')} />
        {of.customFields.map(({ label, value }) => (
          <Fact key={label} label={label} value={value} />
        ))}
        <Fact label="Payment" value={link(of.transactionReference, 'payments')} />
        <Fact label="Order" value={link(of.orderReference, 'orders')} />
        <Fact label="Page" value={link(of.pageId, 'pages')} />
        <Fact label="Split page" value={link(of.splitPageId, 'splits')} />
        <Fact label="Subaccount" value={link(of.subaccountCode, 'subaccounts')} />
        <Fact label="Redirect URL" value={of.callbackUrl ?? undefined} />
        <Fact label="Reference" copy={of.reference} />
        <Fact label="Created" at={of.createdAt} />
        <Fact label="Expires" at={of.state === 'Open' ? of.expiresAt : undefined} />
        <Fact label="Paid" at={of.paidAt} />
      </Facts>
    </Card>
  )
}

const link = (name: string | number | null, screen: RecordsScreen) =>
  name === null ? undefined : <ScreenLink to={`${screen}/${name}`}>{name}</ScreenLink>

/**
 * Creates an account number for a payer who is on the phone. Repeated requests return the same
 * number.
 */
function Account({ of: { reference } }: { of: CheckoutRecord }) {
  const create = useAction(act('create_checkout_virtual_account', { input: () => ({ reference }) }))
  const account = create.data?.data
  return (
    <Card title="Bank account for this payment">
      <Stack align="flex-start">
        <Text size="sm" c="dimmed">
          This account number is for this payment only. The payer must send exactly this amount.
        </Text>
        {account?.accountNumber ? (
          <AccountFacts of={account} />
        ) : (
          <>
            {account && (
              <Alert color="yellow">The bank has not responded yet. Try again in a moment.</Alert>
            )}
            <ActionButton
              icon={IconBuildingBank}
              label="Create account number"
              loading={create.isPending}
              onClick={() => create.mutate()}
            />
          </>
        )}
      </Stack>
    </Card>
  )
}

function AccountFacts({ of }: { of: CreateCheckoutVirtualAccountResponse }) {
  const mode = useMode()
  const may = usePermission()
  return (
    <>
      <Facts>
        <Fact label="Account number" copy={of.accountNumber ?? ''} />
        <Fact label="Bank" value={of.bankName} />
        <Fact label="Account holder" value={of.accountName} />
        <Fact label="Amount" value={money(of.amount, of.currency)} />
        <Fact label="Expires" value={<When at={of.expiresAt} />} />
      </Facts>
      {mode === 'test' && may('simulator:write') && (
        <Group>
          <ActionButton
            label="Simulate a transfer"
            to="simulator"
            search={{ account: of.accountNumber ?? '', amount: String(of.amount) }}
          />
        </Group>
      )}
    </>
  )
}
