import {
  Alert,
  Box,
  Checkbox,
  Group,
  List,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconClockPlay, IconFlask } from '@tabler/icons-react'
import { useState } from 'react'
import type { SimulateDepositResponse } from '../../../../sdk/src/operations.ts'
import { useMode } from '../../api/history.ts'
import { act, useAction } from '../../api/hooks.ts'
import { usePermission } from '../../api/permissions.ts'
import { isAccountNumber } from '../../ui/BankAccount.tsx'
import { ActionButton } from '../../ui/buttons.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { Card } from '../../ui/DetailPage.tsx'
import { EmptyState, SCREEN_ICON } from '../../ui/feedback.tsx'
import { ScreenLink } from '../../ui/links.tsx'
import { MoneyInput } from '../../ui/MoneyInput.tsx'
import { useSearchState } from '../../ui/navigation.ts'
import { useForm } from '../../ui/use-form.ts'
import { money, When } from '../../ui/values.tsx'
import { reasonName } from '../payments/deposits/names.ts'
import { TestEvent } from './TestEvent.tsx'

/** Offers the test tools that are not about a particular record. */
export function Simulator() {
  const mode = useMode()
  if (mode === 'live') {
    return (
      <EmptyState
        level={1}
        icon={<IconFlask {...SCREEN_ICON} />}
        title="Test mode only"
        text="Switch to test mode to simulate banks, billers and the passage of time."
      />
    )
  }
  return (
    <Stack gap="lg">
      <Box>
        <Title order={1}>Test tools</Title>
        <Text c="dimmed" maw="40rem" mt={4}>
          Simulate what banks, billers and customers do, and move time forward. Only test data
          changes, but your endpoints receive real webhooks.
        </Text>
      </Box>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Clock />
        <Deposit />
        <TestEvent />
        <Elsewhere />
      </SimpleGrid>
    </Stack>
  )
}

function Elsewhere() {
  const may = usePermission()

  const ways = (
    [
      { to: 'wallet', label: 'Fund the test wallet', scope: 'wallet:read' },
      { to: 'settlements', label: 'Settle subaccounts now', scope: 'settlements:read' },
      { to: 'webhooks', label: 'Send a test event to one endpoint', scope: 'webhooks:read' },
    ] as const
  ).filter(({ scope }) => may(scope))
  return (
    <Card title="More test tools">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          A payment, transfer, refund, settlement or bill in progress has its own test buttons.
        </Text>
        <List spacing={6} listStyleType="none">
          {ways.map(({ to, label }) => (
            <List.Item key={to}>
              <ScreenLink to={to}>{label}</ScreenLink>
            </List.Item>
          ))}
        </List>
      </Stack>
    </Card>
  )
}

const SPANS = {
  '3600': '1 hour',
  '86400': '1 day',
  '604800': '1 week',
  '2592000': '30 days',
  '31536000': '1 year',
}

/** Moves the test clock forward, which cannot be undone. */
function Clock() {
  const [span, setSpan] = useState<keyof typeof SPANS>('86400')
  const move = useAction(act('simulate_clock', { input: () => ({ advanceSeconds: Number(span) }) }))
  const ask = () =>
    confirm({
      title: `Move the test clock ahead by ${(SPANS[span]).toLowerCase()}?`,
      text: 'You cannot move the clock back, so your test data will stay ahead of real time.',
      verb: 'Move clock',
      go: () => move.mutate(),
    })
  const now = move.data?.data.now
  return (
    <Card title="Test clock">
      <Stack>
        <Text size="sm" c="dimmed">
          Let time pass for your test data: invoices become overdue, reminders are sent, links
          expire and subaccounts are paid at midnight.
        </Text>
        <Group align="flex-end">
          <Select
            label="Move ahead by"
            data={Object.entries(SPANS).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            value={span}
            onChange={(wanted) => wanted && setSpan(wanted as typeof span)}
          />
          <ActionButton
            icon={IconClockPlay}
            label="Move clock"
            isMain
            loading={move.isPending}
            onClick={ask}
          />
        </Group>
        <Text size="sm" component="div" role="status">
          {now && (
            <>
              Your test data is now at <When at={now} />.
            </>
          )}
        </Text>
      </Stack>
    </Card>
  )
}

interface Values {
  accountNumber: string
  amount: number | string
  keep: boolean
}

function Outcome({ of }: { of: SimulateDepositResponse }) {
  if (of.accepted) {
    return (
      <Alert color="green" title="Money accepted" role="status">
        The payment is complete.
      </Alert>
    )
  }
  const isHeld = of.returnStatus === 'Held'
  return (
    <Alert color="yellow" title={isHeld ? 'Money held' : 'Money returned'} role="status">
      {of.reason ? `${reasonName(of.reason)}.` : 'The account expected something else.'}{' '}
      <ScreenLink to={`deposits/${of.reference}`}>
        {isHeld ? 'Decide what happens to it' : 'View deposit'}
      </ScreenLink>
    </Alert>
  )
}

/** Simulates a transfer from a payer's bank. The account that receives it accepts or returns it. */
function Deposit() {
  const [{ account = '', amount = '' }] = useSearchState()
  const form = useForm<Values>({
    initialValues: { accountNumber: account, amount: Number(amount) || '', keep: false },
    validate: {
      accountNumber: (number) =>
        isAccountNumber(number) ? null : 'Enter the ten-digit account number.',
      amount: (sum) => (Number(sum) > 0 ? null : 'Must be more than zero.'),
    },
  })
  const pay = useAction(act('simulate_deposit', { caught: form.showErrors }))
  const submit = form.onSubmit((values) => pay.mutate(values))
  const became = pay.data?.data
  return (
    <Card title="Bank transfer from a payer">
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm" c="dimmed">
            Simulate a transfer to the account number shown to a payer.
          </Text>
          <TextInput
            label="Account number"
            placeholder="10 digits"
            inputMode="numeric"
            maxLength={10}
            autoComplete="off"
            required
            {...form.field('accountNumber')}
          />
          <MoneyInput label="Amount" required {...form.field('amount')} />
          <Checkbox
            label="The provider keeps money that is not accepted"
            description="By default, it sends the money back."
            {...form.checkbox('keep')}
          />
          {became && !pay.isPending && <Outcome of={became} />}
          <Group justify="flex-end">
            <ActionButton
              label={`Simulate a transfer of ${money(Number(form.values.amount) || 0)}`}
              isMain
              type="submit"
              loading={pay.isPending}
            />
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
