import { ShownOnce } from '../../parts/ShownOnce.tsx'

/** Shows the secret of an endpoint when it was made. */
export function SecretOnce({ secret, onClose }: { secret: string | undefined; onClose(): void }) {
  return (
    <ShownOnce title="Signing secret" secret={secret} onClose={onClose}>
      Your server checks by it that a request is from here: webhook-signature follows Standard
      Webhooks, so any of its libraries does it.
    </ShownOnce>
  )
}
