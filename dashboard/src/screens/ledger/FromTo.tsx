import { IconArrowNarrowRight } from '@tabler/icons-react'
import { accountName } from './names.ts'
import type { Move } from './types.ts'

/** Which account gave, and which got. */
export function FromTo({ of: { from, to } }: { of: Pick<Move, 'from' | 'to'> }) {
  return (
    <span className="breaks">
      {accountName(from)}{' '}
      <IconArrowNarrowRight size={16} aria-label="to" style={{ verticalAlign: 'text-bottom' }} />{' '}
      {accountName(to)}
    </span>
  )
}
