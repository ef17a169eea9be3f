import { Alert, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { Subaccount as SubaccountRecord } from '../../../../../sdk/src/operations.ts'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { prefixOf } from '../../../api/request.ts'
import { undoWith } from '../../../api/undo.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card, DetailPage, Fact, Facts, Related } from '../../../ui/DetailPage.tsx'
import { Figures } from '../../../ui/Figures.tsx'
import { Failure } from '../../../ui/feedback.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { money, Status, When } from '../../../ui/values.tsx'
import { SubaccountForm } from './Subaccounts.tsx'

export function Subaccount() {
  const { reference } = useParams({ from: '/$mode/subaccounts/$reference' })
  const may = usePermission()
  const [isEditing, editing] = useDisclosure(false)
  const read = useOperation('get_subaccount', { reference })
  const subaccount = read.data?.data
  return (
    <DetailPage
      back={{ to: 'subaccounts', label: 'Subaccounts' }}
      title={subaccount?.business_name}
      status={<Status of={subaccount?.status} />}
      read={read}
      actions={
        subaccount &&
        may('subaccounts:write') && (
          <>
            <Activity of={subaccount} />
            <ActionButton icon={IconPencil} label="Edit" isMain onClick={editing.open} />
          </>
        )
      }
    >
      {subaccount && (
        <>
          <Notes of={subaccount} />
          <Stack gap="lg">
            <Balance of={subaccount} />
            <SubaccountFacts of={subaccount} />
            {may('settlements:read') && <PaidOut of={subaccount} />}
          </Stack>
          <SubaccountForm of={subaccount} opened={isEditing} onClose={editing.close} />
        </>
      )}
    </DetailPage>
  )
}

const activitySays = (active: boolean): string =>
  active ? 'Subaccount activated.' : 'Subaccount deactivated.'

function Activity({
  of: { status, subaccount_code: code, business_name: name },
}: {
  of: SubaccountRecord
}) {
  const isActive = status === 'Active'
  const shownAs = (active: boolean) => ({
    in: prefixOf('get_subaccount'),
    is: (row: SubaccountRecord) => row.subaccount_code === code,
    as: { status: active ? 'Active' : 'Inactive' } as const,
  })
  const change = useAction(
    act('update_subaccount', {
      input: (active: boolean) => ({ reference: code, active }),
      shown: shownAs,
      done: activitySays,
      undo: (active) =>
        undoWith(
          'update_subaccount',
          { reference: code, active: !active },
          { says: activitySays(!active), shown: shownAs(!active) },
        ),
    }),
  )
  const ask = () =>
    confirm({
      title: `Deactivate ${name}?`,
      text: 'You will no longer be able to add this subaccount to split pages. It keeps its current shares until you remove them, and we will still pay out its balance.',
      verb: 'Deactivate subaccount',
      isDangerous: true,
      canUndo: true,
      go: () => change.mutate(false),
    })
  return (
    <ActionButton
      icon={isActive ? IconPlayerPause : IconPlayerPlay}
      label={isActive ? 'Deactivate' : 'Activate'}
      loading={change.isPending}
      onClick={() => (isActive ? ask() : change.mutate(true))}
    />
  )
}

function SubaccountFacts({ of }: { of: SubaccountRecord }) {
  return (
    <Card title="Subaccount">
      <Facts>
        <Fact label="Code" copy={of.subaccount_code} />
        <Fact label="Account holder" value={of.account_name} />
        <Fact
          label="Name registered with the bank"
          value={of.bankAccountName === of.account_name ? undefined : of.bankAccountName}
        />
        <Fact label="Account number" copy={of.account_number} />
        <Fact label="Bank" value={of.bankName} />
        <Fact label="Confirmed by the bank" value={of.verified ? 'Yes' : 'No'} />
        <Fact
          label="You keep"
          value={`${of.percentage_charge}% of payments that go to this subaccount alone`}
        />
        <Fact label="Currency" value={of.currency} />
        <Fact label="Added" at={of.createdAt} />
        <Fact label="Changed" at={of.updatedAt === of.createdAt ? undefined : of.updatedAt} />
      </Facts>
    </Card>
  )
}

/**
 * Shows what the subaccount is owed, what is in transit and what has been paid out, according to
 * the ledger.
 */
function Balance({ of: { subaccount_code: code, bankCode } }: { of: SubaccountRecord }) {
  const may = usePermission()
  const read = useOperation('get_subaccount_balance', { reference: code })
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
              label: 'In transit',
              value: money(balance.pending, balance.currency),
              hint: 'in settlements in progress',
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
            'Add a bank account to start payouts.'
          ) : (
            'Nothing is due.'
          )}
        </Text>
        {may('wallet:read') && (
          <Text size="sm">
            <ScreenLink to="ledger" search={{ account: code }}>
              View ledger
            </ScreenLink>
          </Text>
        )}
      </Group>
    </Stack>
  )
}

/** Explains what blocks payouts to the subaccount. */
function Notes({ of }: { of: SubaccountRecord }) {
  return (
    <Stack gap="sm" mb={hasNotes(of) ? 'lg' : 0}>
      {isPaused(of) && (
        <Alert color="blue" title="Payouts are paused">
          The bank account was changed. To protect the money, nothing will be paid out until{' '}
          <When at={of.payoutsPausedUntil!} />.
        </Alert>
      )}
      <Holder of={of} />
    </Stack>
  )
}

const isPaused = ({ payoutsPausedUntil: until }: SubaccountRecord): boolean =>
  until !== null && Date.parse(until) > Date.now()

const isDoubted = ({ payoutsBlocked, payoutsBlockedFrom }: SubaccountRecord): boolean =>
  payoutsBlocked !== null || payoutsBlockedFrom !== null

const hasNotes = (of: SubaccountRecord): boolean => isPaused(of) || isDoubted(of) || !of.verified

function Holder({ of }: { of: SubaccountRecord }) {
  if (of.payoutsBlocked === 'bank_missing') {
    return (
      <Alert color="yellow" title="Payouts are blocked: add a bank account">
        We will hold this subaccount’s shares and pay them out once you add a bank account.
      </Alert>
    )
  }
  if (isDoubted(of)) return <Doubt of={of} />
  if (of.verified) return null
  return (
    <Alert color="blue" title="The bank did not confirm the account">
      {`${of.bankName} doesn’t recognise the account, or didn’t respond. Check the number, then save it again to retry.`}
    </Alert>
  )
}

/** Asks a member to check the bank account, because it may belong to someone else. */
function Doubt({ of }: { of: SubaccountRecord }) {
  const may = usePermission()
  const action = useAction(
    act('confirm_subaccount_account', {
      input: () => ({ reference: of.subaccount_code }),
      done: 'Account confirmed.',
    }),
  )
  const why = of.bankAccountName
    ? `You entered “${of.account_name ?? ''}” as the account holder, but the bank has “${of.bankAccountName}”.`
    : `${of.bankName ?? ''} did not confirm the account holder.`
  const ask = () =>
    confirm({
      title: 'Confirm this account?',
      text: `Settlements will be paid to ${of.bankAccountName ?? of.account_name ?? of.business_name}, ${of.account_number} at ${of.bankName ?? ''}.`,
      verb: 'Confirm account',
      go: () => action.mutate(),
    })
  return (
    <Alert
      color="yellow"
      title={of.payoutsBlocked ? 'Payouts are blocked' : 'Payouts will be blocked'}
    >
      <Stack gap="sm" align="flex-start">
        <div>
          {why} Correct the account, or confirm that it is the right one. We will hold this
          subaccount’s shares until then.{' '}
          {of.payoutsBlockedFrom && !of.payoutsBlocked && (
            <>
              Payouts stop <When at={of.payoutsBlockedFrom} />.
            </>
          )}
        </div>
        {may('subaccounts:write') && (
          <ActionButton
            label="Confirm account"
            size="xs"
            loading={action.isPending}
            onClick={ask}
          />
        )}
      </Stack>
    </Alert>
  )
}

function PaidOut({ of: { subaccount_code: code } }: { of: SubaccountRecord }) {
  const { data } = useOperation('list_settlements', { subaccount: code, limit: 5 })
  const settlements = data?.data
  if (!settlements) return null
  return (
    <Card
      title="Settlements"
      actions={
        settlements.length > 0 && (
          <ScreenLink to="settlements" search={{ subaccount: code }}>
            View all
          </ScreenLink>
        )
      }
    >
      {settlements.length === 0 ? (
        <Text c="dimmed">
          Nothing has been paid out yet. Each day’s shares are paid after midnight in your time
          zone.
        </Text>
      ) : (
        <Stack gap="sm">
          {settlements.map((settlement) => (
            <Related
              key={settlement.reference}
              to={`settlements/${settlement.reference}`}
              of={settlement}
              note={settlement.count === 1 ? '1 line item' : `${settlement.count} line items`}
            />
          ))}
        </Stack>
      )}
    </Card>
  )
}
