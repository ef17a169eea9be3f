import { Alert, Stack } from '@mantine/core'
import { IconArrowBackUp, IconCheck } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { Deposit as Record, Transaction } from '../../../../../sdk/src/operations.ts'
import { act, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card, DetailPage, Fact, Facts, type Step, Timeline } from '../../../ui/DetailPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { money, Status } from '../../../ui/values.tsx'
import { ProviderCard } from '../../business/providers/ProviderCard.tsx'
import { InLedger } from '../../money/ledger/names.tsx'
import { because, reasonName, senderOf, stateOf } from './names.ts'

export function Deposit() {
  const { reference } = useParams({ from: '/$mode/deposits/$reference' })
  const read = useOperation('get_deposit', { reference })
  // All deposits have the same path, so the placeholder may be another deposit.
  const deposit = read.data?.data
  const payment = usePayment(deposit?.transactionId ?? null)
  return (
    <DetailPage
      back={{ to: 'deposits', label: 'Deposits' }}
      title={deposit && money(deposit.amount, deposit.currency)}
      name={deposit && `${money(deposit.amount, deposit.currency)} · ${senderOf(deposit)}`}
      status={<Status of={deposit && stateOf(deposit)} />}
      read={read}
      actions={deposit && <Decisions of={deposit} payment={payment} />}
    >
      {deposit && (
        <>
          <Notes of={deposit} payment={payment} />
          <div className="beside">
            <Stack gap="lg">
              <DepositFacts of={deposit} payment={payment} />
              {deposit.transactionId !== null && (
                <ProviderCard
                  orders="get_payment_orders"
                  id={deposit.transactionId}
                  currency={deposit.currency}
                />
              )}
              <ProviderCard
                title="Return"
                orders="get_deposit_orders"
                id={deposit.id}
                currency={deposit.currency}
              />
            </Stack>
            <Card title="Timeline">
              <History of={deposit} payment={payment} />
            </Card>
          </div>
        </>
      )}
    </DetailPage>
  )
}

function usePayment(id: number | null): Transaction | undefined {
  const may = usePermission()
  const { data } = useOperation(
    'fetch_transaction',
    { id: String(id) },
    { enabled: id !== null && may('transactions:read') },
  )
  return data?.data
}

interface Parts {
  of: Record
  /** The payment that the money was sent for. */
  payment: Transaction | undefined
}

/** Whether the server would accept the deposit as the payment. */
function isAcceptable({ of: { reason, currency }, payment }: Parts): boolean {
  if (!payment || payment.paidAt !== null || payment.status === 'Failed') return false
  const isExact = !reason?.startsWith('amount')
  return payment.currency === currency && (payment.channel === 'BANK_TRANSFER' || isExact)
}

function Decisions({ of, payment }: Parts) {
  const may = usePermission()
  const input = () => ({ reference: of.reference })
  const giveBack = useAction(act('return_deposit', { input, done: 'The money is being returned.' }))
  const accept = useAction(act('accept_deposit', { input, done: 'Deposit accepted.' }))
  if (of.returnStatus !== 'Held' || !may('refunds:write')) return null
  const sum = money(of.amount, of.currency)
  return (
    <>
      <ActionButton
        icon={IconArrowBackUp}
        label="Return"
        loading={giveBack.isPending}
        onClick={() =>
          confirm({
            title: 'Return this money?',
            text: `The provider sends ${sum} back to ${receiverOf(of)}. It may keep its fee.`,
            verb: `Return ${sum}`,
            isDangerous: true,
            go: giveBack.mutate,
          })
        }
      />
      {isAcceptable({ of, payment }) && (
        <ActionButton
          icon={IconCheck}
          label="Accept"
          isMain
          loading={accept.isPending}
          onClick={() =>
            confirm({
              title: 'Accept this money?',
              text: `${sum} counts as the payment, although it ${because(of.reason)}. The money goes to your wallet, less the fee.`,
              verb: `Accept ${sum}`,
              canUndo: false,
              go: accept.mutate,
            })
          }
        />
      )}
    </>
  )
}

const receiverOf = ({ sender }: Record): string =>
  sender?.accountName
    ? [sender.accountName, sender.accountNumber, sender.bankName].filter(Boolean).join(', ')
    : 'the account that it came from'

function Notes({ of, payment }: Parts) {
  const why = `This money ${because(of.reason)}.`
  if (of.returnStatus === 'Held') {
    return (
      <Alert color="yellow" title="Decide what happens to this money">
        {why} Your provider keeps it until you{' '}
        {isAcceptable({ of, payment }) ? 'accept or return it' : 'return it'}. Until then, it is not
        in your wallet.
      </Alert>
    )
  }
  if (of.returnStatus === 'Returning') {
    return (
      <Alert color="yellow" title="The money is being returned">
        {why} Your provider is sending it back, which can take a few days.
      </Alert>
    )
  }
  if (of.returnStatus) {
    return (
      <Alert color="gray" title="The money was returned">
        {why} {of.returnStatus === 'Returned' ? 'You returned it.' : 'Your provider returned it.'}{' '}
        Your wallet has not changed.
      </Alert>
    )
  }
  return null
}

function DepositFacts({ of: deposit, payment }: Parts) {
  const { currency, sender, accountNumber, transactionReference: its, reason } = deposit
  const expected = payment && money(payment.amount, payment.currency)
  return (
    <Card title="Deposit">
      <Facts>
        <Fact label="From" value={senderOf(deposit)} />
        <Fact label="Sender’s account" value={sender?.accountNumber ?? undefined} />
        <Fact label="Sender’s bank" value={sender?.bankName ?? undefined} />
        <Fact label="Amount" value={money(deposit.amount, currency)} />
        <Fact label="Amount of the payment" value={expected} />
        <Fact
          label={deposit.status === 'Accepted' ? 'Accepted although' : 'Not accepted'}
          value={reason ? reasonName(reason) : undefined}
        />
        <Fact
          label="Provider’s fee"
          value={deposit.providerFee === null ? undefined : money(deposit.providerFee, currency)}
        />
        <Fact
          label="Paid into"
          value={
            accountNumber ? (
              <ScreenLink to="virtual-accounts" search={{ search: accountNumber }}>
                {accountNumber}
              </ScreenLink>
            ) : undefined
          }
        />
        <Fact
          label="Payment"
          value={its ? <ScreenLink to={`payments/${its}`}>{its}</ScreenLink> : null}
        />
        <Fact label="Reference" copy={deposit.reference} />
        <Fact label="Provider’s reference" copy={deposit.providerReference} />
        <Fact label="Ledger entry" value={<Booked of={deposit} />} />
        <Fact label="Received" at={deposit.createdAt} />
      </Facts>
    </Card>
  )
}

/** A deposit that was accepted at once is booked with its payment. */
function Booked({
  of: { reference, transactionReference, status, reason, returnStatus },
}: {
  of: Record
}) {
  if (returnStatus === 'ReturnedByProvider') return null
  const isOwn = status === 'Rejected' || reason !== null || !transactionReference
  return <InLedger reference={isOwn ? reference : transactionReference} />
}

/** The deposit itself, its outcome and every attempt to return it. */
function History({ of, payment }: Parts) {
  const { data } = useOperation('get_deposit_orders', { id: of.id })
  const steps: Step[] = [
    { title: 'Received', at: of.createdAt, text: of.reason && reasonName(of.reason) },
    ...(data?.data ?? []).flatMap(({ sentAt, endedAt, state }) => [
      { title: 'Return sent', at: sentAt },
      { title: state === 'Failed' ? 'Return failed' : 'Returned', at: endedAt },
    ]),
    { title: 'Accepted', at: of.status === 'Accepted' && of.reason ? payment?.paidAt : undefined },
  ]
  return <Timeline steps={steps} />
}
