import { Text } from '@mantine/core'
import { act, useAction } from '../../../api/hooks.ts'
import type { Provider } from '../../../api/operations.ts'
import { useOwnRole } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'

/** A button for those who can resume payouts; others read who can. */
export function ResumePayouts({ by }: { by: 'owner' | 'operator' }) {
  const isOwner = useOwnRole() === 'owner'
  const resumption = useAction(act('resume_payouts', { done: 'Payouts go out again.' }))
  if (by === 'operator') {
    return (
      <Text size="sm">
        Only the operator of this server can resume payouts, on the command line.
      </Text>
    )
  }
  if (!isOwner) return <Text size="sm">Only an owner can resume payouts.</Text>
  const ask = () =>
    confirm({
      title: 'Let payouts go out again?',
      text: 'All transfers and settlements that have been waiting are sent immediately.',
      verb: 'Resume payouts',
      canUndo: true,
      go: () => resumption.mutate(),
    })
  return <ActionButton label="Resume payouts" loading={resumption.isPending} onClick={ask} />
}

/** A button that uses a paused connection again. */
export function ResumeConnection({
  of: { id: connectionId, name },
  ...button
}: Omit<Parameters<typeof ActionButton>[0], 'onClick' | 'loading'> & {
  of: Pick<Provider, 'id' | 'name'>
}) {
  const resumption = useAction(
    act('resume_provider', { input: () => ({ connectionId }), done: `${name} is used again.` }),
  )
  return (
    <ActionButton {...button} loading={resumption.isPending} onClick={() => resumption.mutate()} />
  )
}
