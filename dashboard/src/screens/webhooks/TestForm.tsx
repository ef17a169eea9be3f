import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { TestWebhookAnswer, Webhook } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction } from '../../api/hooks.ts'
import { t } from '../../texts/en.ts'
import { t as own } from '../../texts/webhooks.ts'
import { AttemptFacts } from './Attempts.tsx'
import { useEventTypes } from './EventTypes.tsx'

/** Sends one sample event to this endpoint alone, and shows what came back. */
export function TestForm(props: { of: Webhook; opened: boolean; onClose(): void }) {
  const { opened, onClose } = props
  return (
    <Modal opened={opened} onClose={onClose} title={own.sendATest} size="lg">
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
        {own.isSentOneEventWith(url)}
      </Text>
      <Select
        label={own.event}
        data={types?.map((one) => one.type) ?? [type]}
        searchable
        allowDeselect={false}
        value={type}
        onChange={(picked) => picked && setType(picked)}
      />
      <div aria-live="polite">{result && <Result of={result} />}</div>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {result ? own.done : t.action.cancel}
        </Button>
        <Button data-autofocus loading={test.isPending} onClick={() => test.mutate({ type })}>
          {result ? own.sendAnother : own.sendTheTest}
        </Button>
      </Group>
    </Stack>
  )
}

function Result({ of: { attempt, delivery } }: { of: TestWebhookAnswer }) {
  const isGood = delivery.status === 'Delivered'
  return (
    <Stack gap="sm">
      <Alert color={isGood ? 'green' : 'red'} title={isGood ? own.itArrived : own.itDidNotArrive}>
        {attempt.error ?? own.answeredAfterMs(attempt.status, attempt.durationMs)}
      </Alert>
      <AttemptFacts of={attempt} />
    </Stack>
  )
}
