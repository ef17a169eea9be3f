import { Alert, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBuildingBank } from '@tabler/icons-react'
import type { NextPayout } from '../../../../../sdk/src/operations.ts'
import { act, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { Failure } from '../../../ui/feedback.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { MoneyInput } from '../../../ui/MoneyInput.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { money, When } from '../../../ui/values.tsx'
import { useCost } from '../transfers/cost.ts'

/** Shows the next payout to the business's own account, and lets people make one now. */
export function Payouts() {
  const may = usePermission()
  const [isOpen, form] = useDisclosure(false)
  const read = useOperation('get_next_payout')
  const next = read.data?.data
  if (read.error) return <Failure error={read.error} again={() => void read.refetch()} />
  if (!next) return null
  const isHeldBack = ['automatic_settlement', 'payouts_paused'].includes(`${next.blockedBy}`)
  const mayPay = may('transfers:write') && !isHeldBack
  return (
    <Card
      title="Payouts"
      actions={
        mayPay &&
        next.account && (
          <ActionButton
            icon={IconBuildingBank}
            label="Pay out now"
            onClick={form.open}
            disabled={next.amount === 0}
          />
        )
      }
    >
      <Stack gap="md">
        <Block of={next} />
        {next.account && (
          <Facts>
            <Fact label="Next payout" value={<NextDate of={next} />} />
            <Fact label="Account" value={accountName(next)} />
            <Fact
              label="Can be paid out now"
              value={
                next.amount === 0 || isHeldBack
                  ? 'Nothing'
                  : `${money(next.amount, next.currency)}, plus a fee of ${money(next.fee, next.currency)}`
              }
            />
          </Facts>
        )}
        <Group gap="lg">
          <Text size="sm">
            <ScreenLink to="transfers" search={{ origin: 'payout' }}>
              View payouts
            </ScreenLink>
          </Text>
          {may('profile:read') && (
            <Text size="sm">
              <ScreenLink to="settings/payouts">
                {next.account ? 'Change schedule or account' : 'Add settlement account'}
              </ScreenLink>
            </Text>
          )}
        </Group>
      </Stack>
      {next.account && <PayOutForm of={next} opened={isOpen} onClose={form.close} />}
    </Card>
  )
}

const accountName = ({ account }: NextPayout): string =>
  account ? `${account.bankName} •••• ${account.accountNumberLast4}` : ''

const SCHEDULES = {
  manual: 'Only when you pay out',
  daily: 'every day at midnight',
  weekly: 'every Monday at midnight',
} as const

function NextDate({ of: { schedule, nextAt } }: { of: NextPayout }) {
  if (schedule === 'manual') return <>{SCHEDULES.manual}</>
  if (!nextAt) return <>None</>
  return (
    <>
      <When at={nextAt} /> ({SCHEDULES[schedule]})
    </>
  )
}

/** Why nothing can be paid out at the moment. */
function Block({ of: { blockedBy, pausedUntil } }: { of: NextPayout }) {
  if (blockedBy === 'settlement_account_missing') {
    return (
      <Text size="sm" c="dimmed">
        Add your business’s own bank account, and pay out the wallet to it when you want, or on a
        schedule.
      </Text>
    )
  }
  if (blockedBy === 'automatic_settlement') {
    return (
      <Alert color="yellow" title="Your provider pays out by itself">
        We don’t pay out while the provider sends your money to your bank account. If it no longer
        does, change the connection in the settings.
      </Alert>
    )
  }
  if (blockedBy === 'payouts_paused') {
    return (
      <Alert color="yellow" title="Payouts are paused">
        The account was changed, so nothing is paid out before <When at={pausedUntil} />.
      </Alert>
    )
  }
  if (blockedBy !== 'payouts_stopped') return null
  return (
    <Alert color="yellow" title="Payouts are stopped">
      A payout waits until payouts are resumed.
    </Alert>
  )
}

interface Values extends Record<string, unknown> {
  amount: number | string
}

function PayOutForm({ of: next, ...dialog }: DialogProps & { of: NextPayout }) {
  const go = useGo()
  const { currency, available, account } = next
  return (
    <FormModal<Values, { data: { reference: string } }>
      title="Pay out now"
      {...dialog}
      initial={{ amount: next.amount }}
      action={act('create_payout', {
        input: ({ amount }: Values) => ({ amount }),
        done: 'Payout created.',
      })}
      validate={{
        amount: (amount) =>
          Number(amount) <= 0
            ? 'Must be more than zero.'
            : Number(amount) > available
              ? `Insufficient balance: ${money(available, currency)} available.`
              : null,
      }}
      verb={({ amount }) => `Pay out ${money(Number(amount) || 0, currency)}`}
      onDone={({ data }) => go(`transfers/${data.reference}`)}
    >
      {(form) => (
        <>
          <Facts>
            <Fact label="Account holder" value={account?.accountName ?? 'Unknown'} />
            <Fact label="Account" value={accountName(next)} />
          </Facts>
          <MoneyInput
            label="Amount"
            currency={currency}
            required
            data-autofocus
            description={<Cost amount={Number(form.values.amount)} of={next} />}
            {...form.field('amount')}
          />
        </>
      )}
    </FormModal>
  )
}

/** What leaves the wallet, and whether somebody else has to approve it. */
function Cost({
  amount,
  of: { currency, available, availableMinor },
}: {
  amount: number
  of: NextPayout
}) {
  const { fee, left } = useCost(amount, availableMinor, currency)
  if (!fee) return <>{money(available, currency)} available, before the fee.</>
  if (left !== undefined && left < 0) {
    return (
      <>
        {money(fee.total, currency)} needed, including a fee of {money(fee.fee, currency)}.{' '}
        {money(available, currency)} available.
      </>
    )
  }
  return (
    <>
      {money(fee.total, currency)} of {money(available, currency)} will leave the wallet, including
      a fee of {money(fee.fee, currency)}.
      {fee.needsApproval &&
        ' This is above your approval limit, so a second person must approve it.'}
    </>
  )
}
