import { Select, Text } from '@mantine/core'
import type { CreateWebhookAnswer, Webhook } from '../../../../sdk/src/operations.ts'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { t } from '../../texts/webhooks.ts'

const GRACES = [
  { value: '0', label: t.endsAtOnce },
  { value: '1', label: t.oneHour },
  { value: '24', label: t.oneDay },
  { value: '72', label: t.threeDays },
  { value: '168', label: t.sevenDays },
]

/** Gives the endpoint another secret; the one before signs as well for a while. */
export function RotateForm({
  of: { reference },
  opened,
  onClose,
  onRotated,
}: {
  of: Webhook
  opened: boolean
  onClose(): void
  onRotated(secret: string): void
}) {
  return (
    <FormModal<{ grace: string }>
      title={t.rotateTheSecret}
      opened={opened}
      onClose={onClose}
      initial={{ grace: '24' }}
      action={{
        path: `user-service/webhooks/${reference}/rotate-secret`,
        send: ({ grace }) => ({ graceHours: Number(grace) }),
      }}
      verb={t.rotateTheSecret}
      onDone={(answer) => {
        const { secret } = (answer as Envelope<CreateWebhookAnswer>).data
        if (secret) onRotated(secret)
      }}
    >
      {(form) => (
        <>
          <Text size="sm">{t.requestsAreSignedWithThe}</Text>
          <Select
            label={t.howLongThePresentSecret}
            data={GRACES}
            allowDeselect={false}
            {...form.getInputProps('grace')}
          />
        </>
      )}
    </FormModal>
  )
}
