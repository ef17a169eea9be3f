import { ShownOnce } from '../../parts/ShownOnce.tsx'
import type { MadeKey } from './types.ts'

/** Shows a key when it was made. */
export function KeyOnce({ made, onClose }: { made: MadeKey | undefined; onClose(): void }) {
  return (
    <ShownOnce title="Your new key" secret={made?.key} onClose={onClose}>
      {made?.type === 'secret'
        ? 'Keep it on your server: never in a browser, an app or a repository.'
        : 'Anybody may see it.'}
    </ShownOnce>
  )
}
