import { TextInput } from '@mantine/core'
import type { CreateWebhookAnswer, Webhook } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { EventTypes } from './EventTypes.tsx'

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

/** Registers an endpoint, or changes one. */
export function EndpointForm({
  of: endpoint,
  opened,
  onClose,
  onCreated,
}: {
  /** The one that is changed; without it a new one is made. */
  of?: Webhook
  opened: boolean
  onClose(): void
  /** With the secret, which is never shown again. */
  onCreated?(created: CreateWebhookAnswer): void
}) {
  return (
    <FormModal<Values>
      title={endpoint ? 'Edit the endpoint' : 'Add an endpoint'}
      size="lg"
      opened={opened}
      onClose={onClose}
      initial={valuesOf(endpoint)}
      edits={
        endpoint && {
          path: `user-service/webhooks/${endpoint.reference}`,
          valuesOf: ({ data }: Envelope<Webhook>) => valuesOf(data),
        }
      }
      action={{
        path: endpoint ? `user-service/webhooks/${endpoint.reference}` : 'user-service/webhooks',
        method: endpoint ? 'PUT' : 'POST',
        done: endpoint ? 'The endpoint is changed.' : 'The endpoint is added.',
        send: ({ url, events, description }) => ({
          url: url.trim(),
          events,
          ...((description || endpoint) && { description: description || null }),
        }),
      }}
      validate={{
        url: (url) =>
          /^https?:\/\/\S+$/i.test(url.trim()) ? null : 'Begins with https:// or http://.',
        events: (events) => (events.length > 0 ? null : 'Choose at least one.'),
      }}
      verb={endpoint ? 'Save the endpoint' : 'Add the endpoint'}
      onDone={(answer) => {
        if (!endpoint) onCreated?.((answer as Envelope<CreateWebhookAnswer>).data)
      }}
    >
      {(form) => (
        <>
          <TextInput
            label="Address"
            description="Your server must answer with a 2xx status within 15 seconds."
            placeholder="https://example.com/tradepost"
            type="url"
            inputMode="url"
            autoComplete="off"
            required
            data-autofocus
            {...form.getInputProps('url')}
          />
          <EventTypes {...form.getInputProps('events')} />
          <TextInput
            label="Description"
            description="For your team."
            maxLength={500}
            {...form.getInputProps('description')}
          />
        </>
      )}
    </FormModal>
  )
}
