import { Alert, Stack, Text } from '@mantine/core'
import { IconHandStop, IconPlayerPause } from '@tabler/icons-react'
import { useRouterState } from '@tanstack/react-router'
import { useOperation } from '../api/hooks.ts'
import type { Pause } from '../api/operations.ts'
import { usePermission } from '../api/permissions.ts'
import { ResumeConnection, ResumePayouts } from '../screens/business/providers/Resume.tsx'
import { sentence, When } from '../ui/values.tsx'

const PAUSED = {
  business:
    'The operator of this server has paused your business. Payers see that you are not open.',
  BANK_TRANSFER: 'Payers cannot pay by bank transfer: the operator of this server has paused it.',
  USSD: 'Payers cannot pay by USSD: the operator of this server has paused it.',
  CARD: 'Payers cannot pay by card: the operator of this server has paused it.',
  writes: 'You can look at everything, but not change anything at the moment.',
}

/** On every screen, says what is paused or stopped, since when, and who can resume it. */
export function Pauses() {
  const { data } = useOperation('list_pauses')
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const all = data?.data ?? []
  const paused = all.flatMap(({ what, ...rest }) =>
    what === 'payouts' || what === 'connection' ? [] : [{ what, ...rest }],
  )
  // The screens about providers have the same notices and buttons at the right place.
  const isShownThere = path.split('/').slice(2, 4).join('/') === 'settings/providers'
  return (
    <>
      {paused.length > 0 && (
        <Alert color="yellow" icon={<IconPlayerPause />} title="Paused" mb="lg">
          {paused.map(({ what, reason, pausedAt }) => (
            <Text size="sm" key={what}>
              {PAUSED[what]} Paused since <When at={pausedAt} />. Reason: {sentence(reason)}
            </Text>
          ))}
          <Text size="sm">Only the operator can end this.</Text>
        </Alert>
      )}
      {!isShownThere &&
        all.map((one) =>
          one.connection ? (
            <PausedConnection key={one.connection.id} of={one} {...one.connection} />
          ) : (
            one.what === 'payouts' && <StoppedPayouts key="payouts" of={one} />
          ),
        )}
    </>
  )
}

function StoppedPayouts({ of: { by, reason, pausedAt, resumedBy } }: { of: Pause }) {
  return (
    <Alert color="red" icon={<IconHandStop />} title="All payouts are stopped" mb="lg">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {by} stopped them on <When at={pausedAt} />: {sentence(reason)} Transfers and settlements
          wait. Bills cannot be paid.
        </Text>
        <ResumePayouts by={resumedBy === 'operator' ? 'operator' : 'owner'} />
      </Stack>
    </Alert>
  )
}

function PausedConnection({
  of: { reason, pausedAt },
  id,
  name,
}: {
  of: Pause
  id: number
  name: string
}) {
  const may = usePermission()
  return (
    <Alert color="yellow" icon={<IconPlayerPause />} title={`${name} is paused`} mb="lg">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          This connection has been paused since <When at={pausedAt} />
          {reason ? `: ${sentence(reason)}` : '.'} New orders go to your other connections, or wait.
        </Text>
        {may('providers:write') ? (
          <ResumeConnection of={{ id, name }} label={`Resume ${name}`} />
        ) : (
          <Text size="sm">Only an owner or admin can resume it.</Text>
        )}
      </Stack>
    </Alert>
  )
}
