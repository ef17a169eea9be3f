import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { TestWebhookAnswer, Webhook } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction } from '../../api/hooks.ts'
import { t } from '../../texts/en.ts'
import { AttemptFacts } from './Attempts.tsx'
import { useEventTypes } from './EventTypes.tsx'

/** Sends one sample event to this endpoint alone, and shows what came back. */
export function TestForm(props: { of: Webhook; opened: boolean; onClose(): void }) {
  const { opened, onClose } = props
  return (
    <Modal opened={opened} onClose={onClose} title="Send a test" size="lg">
      {opened && <Body {...props} />}
    </Modal>
  )
}

function Body({ of: { reference, url }, onClose }: { of: Webhook; onClose(): void }) {
  const types = useEventTypes()
  const [type, setType] = useState('webhook.test')
  const test = useAction<Envelope<TestWebhookAnswer>, { type: string }>({
    path: `user-service/webhooks/${reference}/test`,
    refresh: [`user-service/webhooks/${reference}`],
  })
  const result = test.data?.data
  return (
    <Stack>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {url} is sent one event with the data of an example, signed as all are. No other endpoint
        gets it.
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
        <Button variant="default" onClick={onClose}>
          {result ? 'Done' : t.action.cancel}
        </Button>
        <Button data-autofocus loading={test.isPending} onClick={() => test.mutate({ type })}>
          {result ? 'Send another' : 'Send the test'}
        </Button>
      </Group>
    </Stack>
  )
}

function Result({ of: { attempt, delivery } }: { of: TestWebhookAnswer }) {
  const isGood = delivery.status === 'Delivered'
  return (
    <Stack gap="sm">
      <Alert color={isGood ? 'green' : 'red'} title={isGood ? 'It arrived' : 'It did not arrive'}>
        {attempt.error ?? `Answered ${attempt.status} after ${attempt.durationMs} ms.`}
      </Alert>
      <AttemptFacts of={attempt} />
    </Stack>
  )
}
