import { notifications } from '@mantine/notifications'
import type { ListedWebhookDelivery } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction } from '../../api/hooks.ts'
import { t } from '../../texts/webhooks.ts'

/** Sends a delivery again at once, and says what became of it. */
export function useResend(reference: string, id: string) {
  const act = useAction<Envelope<ListedWebhookDelivery>>({
    path: `user-service/webhooks/${reference}/deliveries/${id}/redeliver`,
    refresh: [`user-service/webhooks/${reference}`],
  })
  const mutate = () =>
    act.mutate(undefined, {
      onSuccess: ({ data: { status, lastError } }) =>
        notifications.show(
          status === 'Delivered'
            ? { message: t.arrived, color: 'green' }
            : { title: t.itFailedAgain, message: lastError ?? t.noAnswerText, color: 'red' },
        ),
    })
  return { isPending: act.isPending, mutate }
}
