import { Alert, Badge, Group, Modal, Select, Stack, Switch, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import {
  IconHistory,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type {
  CreateWebhookResponse,
  Webhook as Endpoint,
  ReplayWebhookResponse,
  TestWebhookResponse,
} from '../../../../../sdk/src/operations.ts'
import { act, type Envelope, useAction, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { prefixOf } from '../../../api/request.ts'
import { undoWith } from '../../../api/undo.tsx'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { DayInput } from '../../../ui/DayInput.tsx'
import { Card, DetailPage, Fact, Facts } from '../../../ui/DetailPage.tsx'
import { useTimeZone, zoneName } from '../../../ui/days.ts'
import { choice } from '../../../ui/Filters.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ListPage, STATUS } from '../../../ui/ListPage.tsx'
import { MoreMenu } from '../../../ui/MoreMenu.tsx'
import { useGo } from '../../../ui/navigation.ts'
import { instantIn, timeIn } from '../../../ui/typed-days.ts'
import { Copyable, Name, Status, When } from '../../../ui/values.tsx'
import { AttemptFacts, ResponseStatus } from './Delivery.tsx'
import { useEventTypes } from './EventTypes.tsx'
import { isSubscribedToAll } from './subscribed-events.ts'
import { EndpointForm, EndpointSecret } from './Webhooks.tsx'

export function Webhook() {
  const { reference } = useParams({ from: '/$mode/webhooks/$reference' })
  const read = useOperation('get_webhook', { reference })
  const endpoint = read.data?.data
  const may = usePermission()
  return (
    <DetailPage
      back={{ to: 'webhooks', label: 'Webhooks' }}
      title={endpoint && <Address of={endpoint.url} />}
      status={<Status of={endpoint?.status} />}
      read={read}
      actions={endpoint && may('webhooks:write') && <Actions of={endpoint} />}
    >
      {endpoint && (
        <Stack gap="lg">
          <Notes of={endpoint} />
          <Card title="Endpoint">
            <Facts>
              <Fact label="Reference" copy={endpoint.reference} />
              <Fact label="Description" value={endpoint.description ?? undefined} />
              <Fact label="Events" value={<Events of={endpoint.events} />} />
              <Fact
                label="Last success"
                value={endpoint.lastSuccessAt ? <When at={endpoint.lastSuccessAt} /> : 'None yet'}
              />
              <Fact label="Added" at={endpoint.createdAt} />
            </Facts>
          </Card>
          <Deliveries of={endpoint} />
        </Stack>
      )}
    </DetailPage>
  )
}

/** A URL as a title, which can wrap between its parts. */
const Address = ({ of }: { of: string }) => (
  <span className="breaks">
    <Name of={of} />
  </span>
)

function Notes({ of: { status, failingSince } }: { of: Endpoint }) {
  if (status === 'Disabled') {
    return (
      <Alert color="yellow" title="This endpoint is disabled">
        This endpoint receives no events, and none are queued for it. Enable it, then replay the
        time range it missed.
      </Alert>
    )
  }
  if (!failingSince) return null
  return (
    <Alert color="red" title="This endpoint is failing">
      Every attempt has failed since <When at={failingSince} />. After five days, we disable the
      endpoint and email the owner.
    </Alert>
  )
}

function Events({ of: events }: { of: string[] }) {
  if (isSubscribedToAll(events)) return 'All, including future ones'
  return (
    <Group gap={6}>
      {events.map((type) => (
        <Badge key={type} variant="default" tt="none" fw={500} radius="sm">
          {type}
        </Badge>
      ))}
    </Group>
  )
}

function Actions({ of: endpoint }: { of: Endpoint }) {
  const [open, setOpen] = useState<'test' | 'edit' | 'rotate' | 'replay'>()
  const [secret, setSecret] = useState<string>()
  const { toggle, remove } = useEndpointActions(endpoint)
  const isActive = endpoint.status === 'Active'
  const form = (name: typeof open) => ({
    of: endpoint,
    opened: open === name,
    onClose: () => setOpen(undefined),
  })
  return (
    <>
      <ActionButton icon={IconSend} label="Send a test" isMain onClick={() => setOpen('test')} />
      <ActionButton icon={IconPencil} label="Edit" onClick={() => setOpen('edit')} />
      <MoreMenu
        choices={[
          {
            label: 'Replay a time range',
            icon: IconHistory,
            may: isActive,
            go: () => setOpen('replay'),
          },
          { label: 'Rotate secret', icon: IconKey, go: () => setOpen('rotate') },
          {
            label: isActive ? 'Disable' : 'Enable',
            icon: isActive ? IconPlayerPause : IconPlayerPlay,
            go: toggle,
          },
          { label: 'Delete', icon: IconTrash, isDangerous: true, go: remove },
        ]}
      />
      <TestForm {...form('test')} />
      <EndpointForm {...form('edit')} />
      <ReplayForm {...form('replay')} />
      <RotateForm {...form('rotate')} onRotated={setSecret} />
      <EndpointSecret secret={secret} onClose={() => setSecret(undefined)} />
    </>
  )
}

const SAYS = {
  Active: 'Endpoint enabled.',
  Disabled: 'Endpoint disabled.',
}

function useEndpointActions({ reference, status, url }: Endpoint) {
  const go = useGo()
  const queries = useQueryClient()
  const isActive = status === 'Active'
  const shownAs = (wanted: string) => ({
    in: prefixOf('list_webhooks'),
    is: (row: Endpoint) => row.reference === reference,
    as: { status: wanted },
  })
  const change = useAction(
    act('update_webhook', {
      input: (wanted: keyof typeof SAYS) => ({ reference, status: wanted }),
      shown: shownAs,
      done: (wanted) => SAYS[wanted],
      undo: (wanted) => {
        const before = wanted === 'Active' ? 'Disabled' : 'Active'
        return undoWith(
          'update_webhook',
          { reference, status: before },
          { says: SAYS[before], shown: shownAs(before) },
        )
      },
    }),
  )
  const erase = useAction(
    act('delete_webhook', { input: () => ({ reference }), done: 'Endpoint deleted.', refresh: [] }),
  )
  const disable = () =>
    confirm({
      title: 'Disable this endpoint?',
      text: `${url} will receive no events until you enable it again. Events that occur in the meantime will not be queued, but you can replay them later.`,
      verb: 'Disable endpoint',
      go: () => change.mutate('Disabled'),
    })
  return {
    toggle: isActive ? disable : () => change.mutate('Active'),
    remove: () =>
      confirm({
        title: 'Delete this endpoint?',
        text: `${url} will receive no more events, not even those already queued. Its delivery log and secret will be deleted.`,
        verb: 'Delete endpoint',
        isDangerous: true,
        go: () =>
          erase.mutate(undefined, {
            onSuccess: () => {
              go('webhooks')
              void queries.invalidateQueries({
                predicate: ({ queryKey }) => queryKey[2] === prefixOf('list_webhooks'),
              })
            },
          }),
      }),
  }
}

/** Lists deliveries from the last 30 days, and all that are still queued. */
function Deliveries({ of: { reference } }: { of: Endpoint }) {
  const types = useEventTypes()
  return (
    <ListPage
      title="Deliveries"
      isPart
      operation="list_webhook_deliveries"
      query={{ reference }}
      cut="cursor"
      filters={[
        choice('status', 'Status', ['Pending', 'Delivered', 'Failed']),
        choice('type', 'Event', types?.map(({ type }) => type) ?? []),
      ]}
      columns={[
        { label: 'Event', cell: ({ type }) => <Name of={type} /> },
        STATUS,
        {
          label: 'Response',
          cell: ({ lastStatus, lastError }) => (
            <ResponseStatus status={lastStatus} error={lastError} />
          ),
        },
        { label: 'Attempts', cell: ({ attempts }) => attempts, align: 'right' },
        { label: 'ID', cell: ({ id }) => <Copyable text={id} /> },
        {
          label: 'Queued',
          cell: ({ createdAt }) => <When at={createdAt} isExact />,
          onPhone: true,
          align: 'right',
        },
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `webhooks/${reference}/deliveries/${id}`}
      empty={{
        title: 'No deliveries yet',
        text: 'Each event sent to this endpoint appears here with your server’s response. Send a test event to see one.',
      }}
    />
  )
}

interface Values extends Record<string, unknown> {
  from: string
  to: string
  failedOnly: boolean
}

/**
 * Queues the events in a time range again, up to 10,000 per request. If there are more, offers to
 * continue.
 */
function ReplayForm({ of: { reference }, ...dialog }: DialogProps & { of: Endpoint }) {
  // Where the next request continues: the exact instant in the last response.
  const [rest, setRest] = useState<string>()
  const timeZone = useTimeZone()
  const restText = rest ? timeIn(timeZone, rest) : ''
  return (
    <FormModal<Values, Envelope<ReplayWebhookResponse>>
      title="Replay a time range"
      {...dialog}
      initial={{ from: restText, to: '', failedOnly: false }}
      action={act('replay_webhook', {
        input: ({ from, to, failedOnly }: Values) => ({
          reference,
          from: rest && from === restText ? rest : instantIn(timeZone, from),
          ...(to && { to: instantIn(timeZone, to) }),
          failedOnly,
        }),
      })}
      validate={{
        from: (from) => (from ? null : 'Enter a start date.'),
        to: (to, { from }) => (!to || to >= from ? null : 'The end must be after the start.'),
      }}
      verb="Replay events"
      onDone={({ data: { queued, continueFrom } }) => {
        setRest(continueFrom ?? undefined)
        notifications.show(toldOf(queued, continueFrom))
      }}
    >
      {(form) => (
        <>
          <Text size="sm">
            We resend all events in this range, oldest first, including those already received. Your
            server can recognise duplicates by their webhook-id.
          </Text>
          <DayInput
            label="From"
            description={`Times in ${zoneName(timeZone)}.`}
            hasTime
            required
            data-autofocus
            {...form.field('from')}
          />
          <DayInput
            label="To"
            description="Leave blank to use the current time."
            hasTime
            {...form.field('to')}
          />
          <Switch label="Only failed deliveries" {...form.checkbox('failedOnly')} />
        </>
      )}
    </FormModal>
  )
}

function toldOf(queued: number, continueFrom: string | null) {
  const events = `${queued.toLocaleString('en-NG')} ${queued === 1 ? 'event' : 'events'}`
  if (continueFrom) {
    return {
      color: 'yellow',
      title: `${events} queued so far, more to come`,
      message: 'Replay again to continue where this replay stopped.',
      autoClose: 15_000,
    }
  }
  if (queued === 0) return { color: 'gray', message: 'There was nothing to replay.' }
  return { color: 'green', message: `${events} queued.` }
}

const GRACES = [
  { value: '0', label: 'Ends immediately' },
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '72', label: '3 days' },
  { value: '168', label: '7 days' },
]

/** For a while after a rotation, deliveries are also signed with the previous secret. */
function RotateForm({
  of: { reference },
  onRotated,
  ...dialog
}: DialogProps & { of: Endpoint; onRotated(secret: string): void }) {
  return (
    <FormModal<{ grace: string }, Envelope<CreateWebhookResponse>>
      title="Rotate secret"
      {...dialog}
      initial={{ grace: '24' }}
      action={act('rotate_webhook_secret', {
        input: ({ grace }: { grace: string }) => ({ reference, graceHours: Number(grace) }),
      })}
      verb="Rotate secret"
      onDone={({ data: { secret } }) => {
        if (secret) onRotated(secret)
      }}
    >
      {(form) => (
        <>
          <Text size="sm">
            Requests are signed with both the new and the current secret, so your server can switch
            without missing a request. If you rotate again, the older secret stops working
            immediately.
          </Text>
          <Select
            label="Keep the current secret for"
            data={GRACES}
            allowDeselect={false}
            {...form.field('grace')}
          />
        </>
      )}
    </FormModal>
  )
}

/** Sends a sample event to this endpoint only. */
function TestForm(props: { of: Endpoint; opened: boolean; onClose(): void }) {
  const { opened, onClose } = props
  return (
    <Modal opened={opened} onClose={onClose} title="Send a test event" size="lg">
      {opened && <Body {...props} />}
    </Modal>
  )
}

function Body({ of: { reference, url }, onClose }: { of: Endpoint; onClose(): void }) {
  const types = useEventTypes()
  const [type, setType] = useState('webhook.test')
  const test = useAction(
    act('test_webhook', {
      input: ({ type }: { type: string }) => ({ reference, type }),
      refresh: ['get_webhook'],
    }),
  )
  const result = test.data?.data
  return (
    <Stack>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {url} receives one signed example event. No other endpoint receives it.
      </Text>
      <Select
        label="Event"
        data={types?.map((one) => one.type) ?? [type]}
        searchable
        allowDeselect={false}
        value={type}
        onChange={(picked) => picked && setType(picked)}
      />
      <div aria-live="polite">{result && <Result of={result} />}</div>
      <Group justify="flex-end">
        <ActionButton label={result ? 'Done' : 'Cancel'} onClick={onClose} />
        <ActionButton
          label={result ? 'Send another' : 'Send test'}
          isMain
          data-autofocus
          loading={test.isPending}
          onClick={() => test.mutate({ type })}
        />
      </Group>
    </Stack>
  )
}

function Result({ of: { attempt, delivery } }: { of: TestWebhookResponse }) {
  const isGood = delivery.status === 'Delivered'
  return (
    <Stack gap="sm">
      <Alert
        color={isGood ? 'green' : 'red'}
        title={isGood ? 'Event delivered' : 'Event not delivered'}
      >
        {attempt.error ?? `Response ${attempt.status} after ${attempt.durationMs} ms.`}
      </Alert>
      <AttemptFacts of={attempt} />
    </Stack>
  )
}
