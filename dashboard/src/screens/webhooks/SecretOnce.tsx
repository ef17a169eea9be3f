import { ShownOnce } from '../../parts/ShownOnce.tsx'
import { t } from '../../texts/webhooks.ts'

/** Shows the secret of an endpoint when it was made. */
export function SecretOnce({ secret, onClose }: { secret: string | undefined; onClose(): void }) {
  return (
    <ShownOnce title={t.signingSecret} secret={secret} onClose={onClose}>
      {t.yourServerChecksByIt}
    </ShownOnce>
  )
}
