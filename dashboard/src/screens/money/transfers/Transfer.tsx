import { Alert } from '@mantine/core'
import { IconCheck, IconRefresh, IconUserCheck, IconX } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { Transfer as TransferRecord } from '../../../../../sdk/src/operations.ts'
import { act, useAction, useMe, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import type { Data } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card, DetailPage, Fact, Facts, WithTimeline } from '../../../ui/DetailPage.tsx'
import { ofTransfer, SimulateOutcome } from '../../../ui/SimulateOutcome.tsx'
import { Copyable, formatState, Json, money, Status, sentence } from '../../../ui/values.tsx'
import { ProviderCard } from '../../business/providers/ProviderCard.tsx'
import { InLedger } from '../ledger/names.tsx'

type Order = Data<'get_transfer_orders'>[number]

/** The newest order of a transfer. */
function useLastOrder(of: TransferRecord | undefined): Order | undefined {
  const { data } = useOperation('get_transfer_orders', { id: of?.id ?? 0 }, { enabled: !!of })
  return data?.data[0]
}

export function Transfer() {
  const { reference } = useParams({ from: '/$mode/transfers/$reference' })
  const read = useOperation('get_transfer', { reference })
  const transfer = read.data?.data
  const order = useLastOrder(transfer)
  const { buttons, needsSecond } = useDecisions(transfer, order)
  return (
    <DetailPage
      back={{ to: 'transfers', label: 'Transfers' }}
      title={transfer && money(transfer.amount, transfer.currency)}
      status={<Status of={transfer?.status} />}
      read={read}
      actions={buttons}
    >
      {transfer && (
        <>
          {needsSecond && <NeedsSecond />}
          <Notes of={transfer} order={order} />
          <SimulateOutcome of={reference} kind="transfer" outcomes={ofTransfer(transfer)} />
          <WithTimeline of={transfer.timeline} titleOf={formatState}>
            <Card title={transfer.origin === 'payout' ? 'Payout' : 'Transfer'}>
              <TransferFacts of={transfer} />
            </Card>
            <ProviderCard
              orders="get_transfer_orders"
              id={transfer.id}
              currency={transfer.currency}
            />
          </WithTimeline>
          {transfer.metadata && (
            <Card title="Metadata">
              <Json value={transfer.metadata} />
            </Card>
          )}
        </>
      )}
    </DetailPage>
  )
}

function Notes({
  of: { status, failureReason, reversedAt, canCancel },
  order,
}: {
  of: TransferRecord
  order: Order | undefined
}) {
  if (status === 'Pending' && canCancel) {
    return (
      <Alert color="yellow" title="Not sent yet">
        The transfer is sent as soon as a provider can take it. Until then, you can cancel it.
      </Alert>
    )
  }
  if (status === 'Unverified') {
    return (
      <Alert color="yellow" title="Needs approval">
        {sentence(failureReason) ??
          'The transfer is above the approval limit, or the bank has a different name for the account holder.'}{' '}
        The money stays on hold until someone approves or rejects it.
      </Alert>
    )
  }
  if (status === 'Blocked') return order && <Held by={order} reason={failureReason} />
  if (status !== 'Failed' && status !== 'Rejected') return null
  return (
    <Alert
      color="red"
      title={reversedAt ? 'The bank returned this transfer' : 'This transfer failed'}
    >
      {sentence(failureReason) ?? 'The bank gave no reason.'} The amount and fee are back in your
      wallet.
    </Alert>
  )
}

/** A transfer that its provider cannot cancel must not be sent again: both could be paid. */
function Held({ by, reason }: { by: Order; reason: string | null }) {
  const says = sentence(reason) ?? 'The bank gave no reason.'
  if (by.canWithdraw) {
    return (
      <Alert color="red" title="The bank is holding this transfer">
        {says} Retrying cancels this attempt and starts a new one.
      </Alert>
    )
  }
  const action = by.message === reason ? undefined : sentence(by.message)
  return (
    <Alert color="red" title={`${by.title} is holding this transfer`}>
      {says} {action} {by.title} cannot cancel a transfer that it has, so it cannot be retried here.
    </Alert>
  )
}

function TransferFacts({ of: transfer }: { of: TransferRecord }) {
  const { currency, fee, amount } = transfer
  return (
    <Facts>
      <Fact label="To" value={transfer.accountName ?? 'Unknown'} />
      <Fact label="Account number" copy={transfer.accountNumber} />
      <Fact label="Bank" value={transfer.bankName} />
      <Fact label="Amount" value={money(amount, currency)} />
      <Fact label="Fee" value={money(fee, currency)} />
      <Fact label="Taken from the wallet" value={money(amount + fee, currency)} />
      <Fact label="Narration" value={transfer.narration ?? undefined} />
      <Fact label="Reference" copy={transfer.reference} />
      <Fact
        label="Your reference"
        copy={
          transfer.transferReference === transfer.reference ? undefined : transfer.transferReference
        }
      />
      <Fact label="Ledger entry" value={<InLedger reference={transfer.reference} />} />
      <Fact
        label="Created by"
        value={
          transfer.createdBy?.name ?? (transfer.origin === 'payout' ? 'Payout schedule' : undefined)
        }
      />
      <Fact label="Approved by" value={transfer.approvedBy?.name} />
      <Fact label="Attempt" value={transfer.attempt > 1 ? transfer.attempt : undefined} />
      <Fact label="Created" at={transfer.createdAt} />
      <Fact label="Completed" at={transfer.completedAt} />
      <Fact label="Returned" at={transfer.reversedAt} />
    </Facts>
  )
}

/**
 * Returns which decisions the user can make about a transfer now, and whether it needs a second
 * person.
 */
function useDecisions(of: TransferRecord | undefined, order: Order | undefined) {
  const may = usePermission()
  const approval = useAction(
    act('approve_transfer', {
      input: () => ({ reference: of?.reference ?? '' }),
      done: 'Transfer approved.',
    }),
  )
  const rejection = useAction(
    act('reject_transfer', {
      input: () => ({ reference: of?.reference ?? '' }),
      done: 'Transfer rejected. The money is back in the wallet.',
    }),
  )
  const repeat = useAction(
    act('retry_transfer', {
      input: () => ({ reference: of?.reference ?? '' }),
      done: 'Transfer retried.',
    }),
  )
  const cancel = useAction(
    act('cancel_transfer', {
      input: () => ({ reference: of?.reference ?? '' }),
      done: 'Transfer cancelled. The money is back in the wallet.',
    }),
  )
  const isOwn = useIsOwn(of)
  const isRefused = approval.error?.code === 'second_person_needed'
  const needsSecond = of?.status === 'Unverified' && (isOwn || isRefused)
  if (!of || !may('transfers:write')) return { buttons: null, needsSecond }

  const sum = money(of.amount, of.currency)
  const fee = of.fee > 0 ? `The fee of ${money(of.fee, of.currency)} will also be charged.` : ''
  const whereto = `${of.accountName ?? 'account'} ${of.accountNumber} at ${of.bankName}`
  const ask = (verb: string, text: string, go: () => void, isDangerous = false) =>
    confirm({ title: `${verb} this transfer?`, text, verb: `${verb} ${sum}`, go, isDangerous })
  const buttons =
    of.status === 'Unverified' ? (
      <>
        <ActionButton
          icon={IconX}
          label="Reject"
          loading={rejection.isPending}
          onClick={() =>
            ask(
              'Reject',
              `${sum} will not be sent to ${whereto}. The amount and fee return to the wallet.`,
              rejection.mutate,
              true,
            )
          }
        />
        {!isOwn && (
          <ActionButton
            icon={IconCheck}
            label="Approve"
            isMain
            loading={approval.isPending}
            onClick={() =>
              ask('Approve', `${sum} will be sent to ${whereto}. ${fee}`, approval.mutate)
            }
          />
        )}
      </>
    ) : of.status === 'Blocked' ? (
      order?.canWithdraw && (
        <ActionButton
          icon={IconRefresh}
          label="Retry"
          isMain
          loading={repeat.isPending}
          onClick={() =>
            ask('Retry', `${sum} will be sent to ${whereto} only once.`, repeat.mutate)
          }
        />
      )
    ) : of.canCancel ? (
      <ActionButton
        icon={IconX}
        label="Cancel transfer"
        loading={cancel.isPending}
        onClick={() =>
          confirm({
            title: 'Cancel this transfer?',
            text: `${sum} will not be sent to ${whereto}. The amount and fee return to the wallet.`,
            verb: 'Cancel transfer',
            isDangerous: true,
            go: cancel.mutate,
          })
        }
      />
    ) : null
  return { buttons, needsSecond }
}

/**
 * Returns whether someone else must approve the transfer, because the user or one of their keys
 * created it.
 */
function useIsOwn(of: TransferRecord | undefined): boolean {
  const may = usePermission()
  const { data: me } = useMe()
  const needsSecond = of?.needsSecondPerson ?? false
  const settings = useOperation('get_profile_settings', undefined, {
    enabled: needsSecond && may('profile:read'),
  })
  // If nobody else can approve transfers, the limits don't apply.
  const isSuspended = (settings.data?.data.approvalSuspendedAt ?? null) !== null
  return needsSecond && !isSuspended && of?.createdBy?.personId === me?.person.id
}

function NeedsSecond() {
  return (
    <Alert color="blue" icon={<IconUserCheck />} title="Someone else must approve this transfer">
      You created this transfer. To protect your money, another owner, admin or finance member has
      to approve it. Send them this link: <Copyable text={location.href} />
    </Alert>
  )
}
