import { Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { CreateWebhookResponse, Webhook } from '../../../../../sdk/src/operations.ts'
import { act, type Envelope } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { at } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { type DialogProps, FormModal } from '../../../ui/forms.tsx'
import { ListPage, STATUS } from '../../../ui/ListPage.tsx'
import { OneTimeSecret } from '../../../ui/OneTimeSecret.tsx'
import { useNewParam } from '../../../ui/use-new-param.ts'
import { Name, When, WithNote } from '../../../ui/values.tsx'
import { EventTypes } from './EventTypes.tsx'
import { subscribedEvents } from './subscribed-events.ts'

export function Webhooks() {
  const [isCreating, creating] = useNewParam()
  const [secret, setSecret] = useState<string>()
  const may = usePermission()
  const create = may('webhooks:write') && (
    <ActionButton icon={IconPlus} label="Add an endpoint" isMain onClick={creating.open} />
  )
  return (
    <>
      <ListPage
        title="Webhooks"
        actions={create}
        operation="list_webhooks"
        columns={[
          {
            label: 'Endpoint',
            cell: ({ url, description }) => (
              <WithNote note={description}>
                <span className="breaks">
                  <Name of={url} />
                </span>
              </WithNote>
            ),
          },
          { label: 'Events', cell: ({ events }) => subscribedEvents(events) },
          STATUS,
          { label: 'Health', cell: (endpoint) => <Health of={endpoint} />, onPhone: 'below' },
        ]}
        keyOf={({ reference }) => reference}
        hrefOf={({ reference }) => `webhooks/${reference}`}
        empty={{
          title: 'No endpoints yet',
          text: 'Tradepost sends your server a signed request for each payment, transfer and order as it happens.',
          action: create,
        }}
      />
      <EndpointForm
        opened={isCreating}
        onClose={creating.close}
        onCreated={(created) => setSecret(created.secret ?? undefined)}
      />
      <EndpointSecret secret={secret} onClose={() => setSecret(undefined)} />
    </>
  )
}

function Health({ of: { failingSince, lastSuccessAt } }: { of: Webhook }) {
  if (failingSince) {
    return (
      <Text span size="sm" c="var(--bad)">
        Failing since <When at={failingSince} />
      </Text>
    )
  }
  return (
    <Text span size="sm" c="dimmed">
      {lastSuccessAt ? (
        <>
          Last success <When at={lastSuccessAt} />
        </>
      ) : (
        'No successful delivery yet'
      )}
    </Text>
  )
}

interface Values extends Record<string, unknown> {
  url: string
  events: string[]
  description: string
}

const valuesOf = (endpoint: Webhook | undefined): Values => ({
  url: endpoint?.url ?? '',
  events: endpoint?.events ?? ['*'],
  description: endpoint?.description ?? '',
})

export function EndpointForm({
  of: endpoint,
  onCreated,
  ...dialog
}: DialogProps & {
  /** The endpoint to edit; absent for a new one. */
  of?: Webhook
  /** Called with the secret, which can't be shown again. */
  onCreated?(created: CreateWebhookResponse): void
}) {
  return (
    <FormModal<Values, Envelope<Webhook | CreateWebhookResponse>>
      title={endpoint ? 'Edit endpoint' : 'Add an endpoint'}
      size="lg"
      {...dialog}
      initial={valuesOf(endpoint)}
      edits={
        endpoint && {
          ...at('get_webhook', { reference: endpoint.reference }),
          valuesOf: ({ data }: Envelope<Webhook>) => valuesOf(data),
        }
      }
      action={
        endpoint
          ? act('update_webhook', {
              input: ({ url, events, description }: Values) => ({
                reference: endpoint.reference,
                url: url.trim(),
                events,
                description: description || null,
              }),
              done: 'Endpoint saved.',
            })
          : act('create_webhook', {
              input: ({ url, events, description }: Values) => ({
                url: url.trim(),
                events,
                ...(description && { description }),
              }),
              done: 'Endpoint added.',
            })
      }
      validate={{
        url: (url) =>
          /^https?:\/\/\S+$/i.test(url.trim()) ? null : 'Must start with https:// or http://.',
        events: (events) => (events.length > 0 ? null : 'Choose at least one event.'),
      }}
      verb={endpoint ? 'Save endpoint' : 'Add endpoint'}
      onDone={({ data }) => {
        if ('secret' in data) onCreated?.(data)
      }}
    >
      {(form) => (
        <>
          <TextInput
            label="URL"
            description="Your server must respond with a 2xx status within 15 seconds."
            placeholder="https://example.com/tradepost"
            type="url"
            inputMode="url"
            autoComplete="off"
            required
            data-autofocus
            {...form.field('url')}
          />
          <EventTypes {...form.field('events')} />
          <TextInput
            label="Description"
            description="Only your team sees it."
            maxLength={500}
            {...form.field('description')}
          />
        </>
      )}
    </FormModal>
  )
}

export function EndpointSecret({
  secret,
  onClose,
}: {
  secret: string | undefined
  onClose(): void
}) {
  return (
    <OneTimeSecret title="Signing secret" secret={secret} onClose={onClose}>
      Your server uses this secret to check that a request comes from Tradepost. The
      webhook-signature header follows Standard Webhooks, so you can use any Standard Webhooks
      library.
    </OneTimeSecret>
  )
}
