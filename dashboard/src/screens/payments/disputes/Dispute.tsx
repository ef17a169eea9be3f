import { Alert, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconCheck, IconMessageReply } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { Dispute as DisputeRecord } from '../../../../../sdk/src/operations.ts'
import { useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts, WithTimeline } from '../../../ui/DetailPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { ofDispute, SimulateOutcome } from '../../../ui/SimulateOutcome.tsx'
import { dayText } from '../../../ui/typed-days.ts'
import { formatState, money, Status, sentence, When } from '../../../ui/values.tsx'
import { InLedger } from '../../money/ledger/names.tsx'
import { Evidence } from './Evidence.tsx'
import { AcceptForm, ContestForm } from './RespondForms.tsx'

export function Dispute() {
  const { reference } = useParams({ from: '/$mode/disputes/$reference' })
  const read = useOperation('get_dispute', { reference })
  const dispute = read.data?.data
  const sum = dispute && money(dispute.amount, dispute.currency)
  return (
    <DetailPage
      back={{ to: 'disputes', label: 'Disputes' }}
      title={sum}
      name={dispute && `${sum} · ${dispute.reason}`}
      status={<Status of={dispute?.status} />}
      read={read}
      actions={dispute && <Actions of={dispute} />}
    >
      {dispute && (
        <>
          <Notes of={dispute} />
          <SimulateOutcome of={reference} kind="dispute" outcomes={ofDispute(dispute)} />
          <WithTimeline of={dispute.timeline} titleOf={stepName}>
            <DisputeFacts of={dispute} />
            <Evidence of={dispute} />
            {dispute.response && <Response of={dispute} />}
          </WithTimeline>
        </>
      )}
    </DetailPage>
  )
}

const STEPS: Record<string, string> = {
  Open: 'Waiting for your response',
  UnderReview: 'With the payer’s bank',
}
const stepName = (status: string): string => STEPS[status] ?? formatState(status)

const providerName = (provider: string): string => formatState(provider)

/** Whether the provider waits for a response, and none is on its way. */
const isToAnswer = ({ status, response }: DisputeRecord): boolean =>
  status === 'Open' && response?.status !== 'Sending'

function Actions({ of }: { of: DisputeRecord }) {
  const may = usePermission()
  const [isAccepting, accepting] = useDisclosure(false)
  const [isContesting, contesting] = useDisclosure(false)
  if (!may('disputes:write') || !isToAnswer(of)) return null
  return (
    <>
      <ActionButton icon={IconCheck} label="Accept" onClick={accepting.open} />
      <ActionButton icon={IconMessageReply} label="Contest" isMain onClick={contesting.open} />
      <AcceptForm of={of} opened={isAccepting} onClose={accepting.close} />
      <ContestForm of={of} opened={isContesting} onClose={contesting.close} />
    </>
  )
}

function Notes({ of }: { of: DisputeRecord }) {
  const { status, response, dueAt, provider, currency, lostAmount, amount } = of
  const name = providerName(provider)
  if (status === 'Won') {
    return (
      <Alert color="green" title="You won this dispute">
        The payment stays with you, and the amount is no longer on hold.
      </Alert>
    )
  }
  if (status === 'Lost' || status === 'Accepted') {
    const isLost = status === 'Lost'
    return (
      <Alert
        color={isLost ? 'red' : 'gray'}
        title={isLost ? 'You lost this dispute' : 'You accepted this dispute'}
      >
        {name} took back {money(lostAmount, currency)} for the payer.
      </Alert>
    )
  }
  if (response?.status === 'Sending') {
    return <Alert color="blue">Your response is being sent to {name}.</Alert>
  }
  if (status === 'UnderReview') {
    return (
      <Alert color="blue" title="The payer’s bank is reviewing your response">
        {money(amount, currency)} stays on hold until it has decided.
      </Alert>
    )
  }
  return (
    <>
      {response?.status === 'Failed' && (
        <Alert color="red" title="Your response did not reach the payer’s bank">
          {sentence(response.result) ?? `${name} gave no reason.`} Respond again.
        </Alert>
      )}
      <Alert
        color="yellow"
        title={
          dueAt ? (
            <>
              Respond by <When at={dueAt} />
            </>
          ) : (
            'Your response is needed'
          )
        }
      >
        Contest the dispute if the payment is right, or accept it so that the payer gets the money
        back. Without a response, you will probably lose it.
      </Alert>
    </>
  )
}

function DisputeFacts({ of }: { of: DisputeRecord }) {
  const { currency, amount, heldAmount, lostAmount, status } = of
  const isOpen = of.closedAt === null
  return (
    <Card title="Dispute">
      <Facts>
        <Fact label="The payer says" value={of.reason} />
        <Fact
          label="Payment"
          value={
            <ScreenLink to={`payments/${of.transactionReference}`}>
              {of.transactionReference}
            </ScreenLink>
          }
        />
        <Fact label="Disputed" value={money(amount, currency)} />
        <Fact label="On hold" value={isOpen ? money(heldAmount, currency) : undefined} />
        <Fact
          label="Taken back"
          value={lostAmount === null ? undefined : money(lostAmount, currency)}
        />
        <Fact label="Respond by" at={status === 'Open' ? of.dueAt : undefined} />
        <Fact label="Provider" value={providerName(of.provider)} />
        <Fact label="Provider’s ID" copy={of.providerReference} />
        <Fact label="Reference" copy={of.reference} />
        <Fact label="Ledger entry" value={<InLedger reference={of.reference} />} />
        <Fact label="Opened" at={of.createdAt} />
        <Fact label="Decided" at={of.closedAt} />
      </Facts>
    </Card>
  )
}

/** The latest response, as it was sent. */
function Response({ of: { response, currency, evidence } }: { of: DisputeRecord }) {
  if (!response) return null
  const { action, customer, evidenceId, message, createdAt } = response
  const isAccepted = action === 'accept'
  const file = evidence.find(({ id }) => id === evidenceId)
  return (
    <Card title="Your response">
      <Facts>
        <Fact label="You" value={isAccepted ? 'Accepted the dispute' : 'Contested the dispute'} />
        <Fact label="State" value={<Status of={response.status} />} />
        <Fact label="Amount" value={isAccepted ? money(response.amount, currency) : undefined} />
        <Fact label="Message" value={<span className="as-written">{message}</span>} />
        <Fact label="File" value={file?.name} />
        {customer && (
          <>
            <Fact
              label="What was bought"
              value={<span className="as-written">{customer.serviceDetails}</span>}
            />
            <Fact
              label="Customer"
              value={
                <Stack gap={0}>
                  <span>{customer.name}</span>
                  <span>{customer.email}</span>
                  <span>{customer.phone}</span>
                </Stack>
              }
            />
            <Fact label="Delivered to" value={customer.deliveryAddress ?? undefined} />
            <Fact
              label="Delivered on"
              value={customer.deliveredOn ? dayText(customer.deliveredOn) : undefined}
            />
          </>
        )}
        <Fact label="Written" at={createdAt} />
      </Facts>
    </Card>
  )
}
