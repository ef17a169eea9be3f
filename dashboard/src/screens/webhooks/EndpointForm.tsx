import { TextInput } from '@mantine/core'
import type { CreateWebhookAnswer, Webhook } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { t } from '../../texts/webhooks.ts'
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
      title={endpoint ? t.editTheEndpoint : t.addAnEndpoint}
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
        done: endpoint ? t.theEndpointIsChanged : t.theEndpointIsAdded,
        send: ({ url, events, description }) => ({
          url: url.trim(),
          events,
          ...((description || endpoint) && { description: description || null }),
        }),
      }}
      validate={{
        url: (url) => (/^https?:\/\/\S+$/i.test(url.trim()) ? null : t.beginsWithHttpsOrHttp),
        events: (events) => (events.length > 0 ? null : t.chooseAtLeastOne),
      }}
      verb={endpoint ? t.saveTheEndpoint : t.addTheEndpoint}
      onDone={(answer) => {
        if (!endpoint) onCreated?.((answer as Envelope<CreateWebhookAnswer>).data)
      }}
    >
      {(form) => (
        <>
          <TextInput
            label={t.address}
            description={t.yourServerMustAnswerWith}
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
            label={t.description}
            description={t.forYourTeam}
            maxLength={500}
            {...form.getInputProps('description')}
          />
        </>
      )}
    </FormModal>
  )
}
