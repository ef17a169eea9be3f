import { Alert, Text } from '@mantine/core'
import { IconPlugConnectedX } from '@tabler/icons-react'
import { useMe } from '../api/hooks.ts'
import { ScreenLink } from '../parts/links.tsx'
import { t } from '../texts/en.ts'
import { useMay } from './may.ts'
import { useMode } from './where.ts'

/** What live mode cannot do while no provider is connected; above every screen of it. */
export function LiveGap() {
  const { data: me } = useMe()
  const may = useMay()
  if (useMode() !== 'live' || !me || me.liveReady) return null
  return (
    <Alert color="yellow" icon={<IconPlugConnectedX />} title={t.liveGap.title} mb="lg">
      <Text size="sm">{t.liveGap.text}</Text>
      {may('profile:write') && (
        <Text size="sm" mt={4}>
          <ScreenLink to="settings/payments#manual-payment">{t.liveGap.instructions}</ScreenLink>
        </Text>
      )}
    </Alert>
  )
}
