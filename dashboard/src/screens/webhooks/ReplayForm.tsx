import { Switch, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import type { ReplayWebhookAnswer, Webhook } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { DayInput } from '../../parts/DayInput.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { t } from '../../texts/webhooks.ts'

interface Values extends Record<string, unknown> {
  from: string
  to: string
  failedOnly: boolean
}

/** Queues what happened in a range of time again; at most 10,000 at once, and then it goes on. */
export function ReplayForm({
  of: { reference },
  opened,
  onClose,
}: {
  of: Webhook
  opened: boolean
  onClose(): void
}) {
  // An instant of the last answer, where the next request goes on.
  const [rest, setRest] = useState<string>()
  return (
    <FormModal<Values>
      title={t.replayATimeRange}
      opened={opened}
      onClose={onClose}
      initial={{ from: rest ? localText(rest) : '', to: '', failedOnly: false }}
      action={{
        path: `user-service/webhooks/${reference}/replay`,
        send: ({ from, to, failedOnly }) => ({
          from: rest && from === localText(rest) ? rest : instantOf(from),
          ...(to && { to: instantOf(to) }),
          failedOnly,
        }),
      }}
      validate={{
        from: (from) => (from ? null : t.saysWhereToBegin),
        to: (to, { from }) => (!to || to >= from ? null : t.isNotBeforeTheBeginning),
      }}
      verb={t.replay}
      onDone={(answer) => {
        const { queued, continueFrom } = (answer as Envelope<ReplayWebhookAnswer>).data
        setRest(continueFrom ?? undefined)
        notifications.show(toldOf(queued, continueFrom))
      }}
    >
      {(form) => (
        <>
          <Text size="sm">{t.everythingThatThisEndpointWants}</Text>
          <DayInput
            label={t.from}
            hasTime
            required
            data-autofocus
            {...form.getInputProps('from')}
          />
          <DayInput
            label={t.to}
            description={t.nowIfLeftEmpty}
            hasTime
            {...form.getInputProps('to')}
          />
          <Switch
            label={t.onlyWhatFailedForGood}
            {...form.getInputProps('failedOnly', { type: 'checkbox' })}
          />
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
      title: t.queuedAndMoreAreLeft(events),
      message: t.replayAgainItGoesOn,
      autoClose: 15_000,
    }
  }
  if (queued === 0) return { color: 'gray', message: t.thereWasNothingToSend }
  return { color: 'green', message: `${events} queued.` }
}

const instantOf = (local: string): string => new Date(local).toISOString()

/** As the browser's field for a date and a time takes it, in the reader's time zone. */
function localText(instant: string): string {
  const date = new Date(instant)
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 16)
}
