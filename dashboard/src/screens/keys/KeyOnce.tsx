import { ShownOnce } from '../../parts/ShownOnce.tsx'
import { t } from '../../texts/keys.ts'
import type { MadeKey } from './types.ts'

/** Shows a key when it was made. */
export function KeyOnce({ made, onClose }: { made: MadeKey | undefined; onClose(): void }) {
  return (
    <ShownOnce title={t.yourNewKey} secret={made?.key} onClose={onClose}>
      {made?.type === 'secret' ? t.keepItOnYourServer : t.anybodyMaySeeIt}
    </ShownOnce>
  )
}
