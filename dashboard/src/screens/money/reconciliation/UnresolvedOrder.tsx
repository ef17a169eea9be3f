import { Alert, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconGavel, IconRefresh } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import { act, useAction, useMe, useOperation } from '../../../api/hooks.ts'
import type { UnresolvedOrder as Order } from '../../../api/operations.ts'
import { usePermission } from '../../../api/permissions.ts'
import type { Input } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { formatState, Json, minorMoney, Status, When } from '../../../ui/values.tsx'
import { useConnections } from './connections.ts'
import { attentionOf, decisionName, decisionSays, orderName, orderScreen } from './names.ts'
import './reconciliation.css'

type OrderKind = Input<'get_unresolved_order'>['kind']

/** An order, with what was sent to the provider and what it said. */
export function UnresolvedOrder() {
  const { order: key } = useParams({ from: '/$mode/unresolved/$order' })
  const [kind = '', id = ''] = key.split('-')
  const read = useOperation('get_unresolved_order', { kind: kind as OrderKind, id: Number(id) })
  const order = read.data?.data
  const title =
    order && `${orderName(order.kind)} of ${minorMoney(order.amountMinor, order.currency)}`
  return (
    <DetailPage
      back={{ to: 'unresolved', label: 'Unresolved orders' }}
      title={title}
      status={order && <Status of={order.endedAt ? 'Closed' : 'Open'} />}
      read={read}
      actions={order && <Actions of={order} />}
    >
      {order && (
        <>
          <Notes of={order} />
          <div className="beside">
            <Stack gap="lg" miw={0}>
              <Sent of={order} />
              <Received of={order} />
              <Exchanges of={order} />
            </Stack>
            <Stack gap="lg">
              <OrderFacts of={order} />
              {order.decided.length > 0 && <Decisions of={order} />}
            </Stack>
          </div>
        </>
      )}
    </DetailPage>
  )
}

const isProposed = ({ decided }: Order) => decided.find(({ status }) => status === 'Proposed')

function Notes({ of }: { of: Order }) {
  const { kind, attention, endedAt } = of
  const proposed = isProposed(of)
  if (endedAt && !attention) {
    return <Alert color="green">The outcome of this order is known now.</Alert>
  }
  if (endedAt) {
    return (
      <Alert color="yellow" title={attentionOf(attention)}>
        Nothing has been changed for that. Close it among the{' '}
        <ScreenLink to="differences" search={{ status: 'Open' }}>
          differences
        </ScreenLink>
        .
      </Alert>
    )
  }
  return (
    <>
      <Alert color="yellow" title={attentionOf(attention)}>
        Nothing is sent again until the outcome is certain. Look in the provider’s own dashboard, or
        ask its support team with the reference below.
        {kind === 'transfer' && ' The money stays on hold until then.'}
      </Alert>
      {proposed && (
        <Alert
          color="yellow"
          title={`${proposed.by} proposes: ${decisionName(kind, proposed.decision)}`}
        >
          {proposed.reason}
          <Text size="sm" mt={4}>
            Someone else has to decide the same.
          </Text>
        </Alert>
      )}
    </>
  )
}

function OrderFacts({ of: { kind, reference, attempt, connectionId, since } }: { of: Order }) {
  const { nameOf } = useConnections()
  const screen = orderScreen(kind, reference)
  return (
    <Card title="Order">
      <Facts>
        <Fact
          label={orderName(kind)}
          value={screen ? <ScreenLink to={screen}>{reference}</ScreenLink> : reference}
        />
        <Fact label="Connection" value={nameOf(connectionId)} />
        <Fact label="Attempt" value={attempt > 1 ? attempt : undefined} />
        <Fact label="Since" at={since} />
      </Facts>
    </Card>
  )
}

function Sent({ of: { sent } }: { of: Order }) {
  return (
    <Card title="What we sent">
      <Facts>
        <Fact label="Reference there" copy={sent.reference} />
        <Fact label="First sent" at={sent.firstAt} value="Not yet" />
        <Fact label="Last sent" at={sent.lastAt === sent.firstAt ? undefined : sent.lastAt} />
        <Fact label="Attempts to send or look up" value={sent.tries} />
        <Fact label="Next lookup" at={sent.nextAt} />
      </Facts>
    </Card>
  )
}

function Received({ of: { received } }: { of: Order }) {
  const { state, outcome, code, message, providerId, session, unknownThereSince } = received
  return (
    <Card title="What we received">
      <Facts>
        <Fact label="State there" value={state === null ? null : formatState(state)} />
        <Fact label="Outcome" value={outcome === null ? null : formatState(outcome)} />
        <Fact label="Code" value={code ?? undefined} />
        <Fact label="Message" value={message ?? undefined} />
        <Fact label="Provider’s ID" copy={providerId} value={undefined} />
        <Fact label="Bank session ID" copy={session} value={undefined} />
        <Fact label="Not found there since" at={unknownThereSince} />
      </Facts>
    </Card>
  )
}

/** The requests and responses themselves, newest first. */
function Exchanges({ of: { calls } }: { of: Order }) {
  if (calls.length === 0) return null
  return (
    <Card title="Requests to the provider">
      <Stack gap="md">
        {calls.map((one, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: new calls are added at the top, and all are read again
          <details key={i} className="exchange" open={i === 0}>
            <summary>
              {one.operation} · {one.status ?? formatState(one.outcome)} · {one.durationMs} ms ·{' '}
              <When at={one.at} isExact />
            </summary>
            <Stack gap="xs" mt="xs">
              {one.request && <Json value={one.request} />}
              {one.response ? (
                <Json value={one.response} />
              ) : (
                <Text size="sm" c="dimmed">
                  No response.
                </Text>
              )}
            </Stack>
          </details>
        ))}
      </Stack>
    </Card>
  )
}

function Decisions({ of: { kind, decided } }: { of: Order }) {
  return (
    <Card title="Decisions">
      <Stack gap="md">
        {decided.map(({ decision, reason, providerId, by, at, agreedBy, status }) => (
          <div key={at}>
            <Text fw={600}>{decisionName(kind, decision)}</Text>
            <Text size="sm" className="as-written">
              {reason}
            </Text>
            {providerId && <Text size="sm">Provider’s ID: {providerId}</Text>}
            <Text size="sm" c="dimmed" component="div">
              {status === 'Proposed' ? 'Proposed' : 'Decided'} by {by}
              {agreedBy && ` and ${agreedBy}`}, <When at={at} />
            </Text>
          </div>
        ))}
      </Stack>
    </Card>
  )
}

// -------------------------------------------------------------------------------- actions

function Actions({ of }: { of: Order }) {
  const may = usePermission()
  const { data: me } = useMe()
  const [isOpen, { open, close }] = useDisclosure(false)
  const key = { kind: of.kind as OrderKind, id: of.id }
  const lookup = useAction(
    act('look_up_order', { input: () => key, done: 'The provider was asked.' }),
  )
  if (!may('reconciliation:write') || of.endedAt) return null
  const proposed = isProposed(of)
  return (
    <>
      <ActionButton
        icon={IconRefresh}
        label="Ask the provider"
        loading={lookup.isPending}
        onClick={() => lookup.mutate()}
      />
      {of.decisions.length > 0 && (
        <ActionButton
          icon={IconGavel}
          label={proposed && proposed.by !== me?.person.name ? 'Agree or decide' : 'Decide'}
          isMain
          onClick={open}
        />
      )}
      <DecideForm of={of} opened={isOpen} onClose={close} />
    </>
  )
}

interface Values extends Record<string, unknown> {
  decision: string
  reason: string
  providerId: string
  statement: string
}

function DecideForm({ of, ...dialog }: DialogProps & { of: Order }) {
  const { kind, id, decisions, received } = of
  const proposed = isProposed(of)
  const isFound = received.unknownThereSince === null
  const needsStatement = (decision: string) => isFound && decision !== 'paid' && decision !== ''
  return (
    <FormModal<Values>
      title="Decide about this order"
      {...dialog}
      initial={{
        decision: proposed?.decision ?? '',
        reason: '',
        providerId: proposed?.providerId ?? received.providerId ?? '',
        statement: '',
      }}
      action={act('decide_order', {
        input: ({ decision, reason, providerId, statement }: Values) => ({
          kind: kind as OrderKind,
          id,
          decision: decision as Input<'decide_order'>['decision'],
          reason: reason.trim(),
          ...(decision === 'paid' && { providerId: providerId.trim() }),
          ...(needsStatement(decision) && { statement: statement.trim() }),
        }),
      })}
      validate={{
        decision: (value) => (value ? null : 'Choose what happened.'),
        reason: (text) => (text.trim() ? null : 'Enter a reason.'),
        providerId: (text, { decision }) =>
          decision === 'paid' && !text.trim() ? 'Enter the provider’s ID.' : null,
        statement: (text, { decision }) =>
          needsStatement(decision) && !text.trim() ? 'Paste what the provider wrote.' : null,
      }}
      verb={(values) => (values.decision ? decisionName(kind, values.decision) : 'Decide')}
    >
      {(form) => (
        <>
          <Text size="sm">
            If this is wrong, money can be lost or paid twice. Decide only what the provider has
            confirmed.
          </Text>
          <Radio.Group label="What happened?" {...form.field('decision')}>
            <Stack gap="sm" mt="xs">
              {decisions.map((decision) => (
                <Radio
                  key={decision}
                  value={decision}
                  label={decisionName(kind, decision)}
                  description={decisionSays(kind, decision)}
                />
              ))}
            </Stack>
          </Radio.Group>
          {form.values.decision === 'paid' && (
            <TextInput
              label="Provider’s ID"
              description="The provider’s own number for it, so that its next report finds it."
              required
              {...form.field('providerId')}
            />
          )}
          {needsStatement(form.values.decision) && (
            <Textarea
              label="What the provider wrote"
              description="No lookup says that it was not paid, so the provider has to."
              required
              maxLength={4_000}
              autosize
              minRows={2}
              {...form.field('statement')}
            />
          )}
          <Textarea
            label="Reason"
            required
            maxLength={1_000}
            autosize
            minRows={2}
            {...form.field('reason')}
          />
        </>
      )}
    </FormModal>
  )
}
