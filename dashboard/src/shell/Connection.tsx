import { Text } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { IconCloudOff } from '@tabler/icons-react'
import { t } from '../texts/en.ts'

/**
 * Says that what is in view may be old, over the screen's lower edge so that nothing moves. It is
 * there all the time, because what comes and goes with its text is not read out.
 */
export function Connection({ isLost }: { isLost: boolean }) {
  const { online: isOnline } = useNetwork()
  return (
    <div className="connection" role="status">
      {(isLost || !isOnline) && (
        <div className="connection-lost">
          <IconCloudOff size={18} aria-hidden />
          <Text size="sm">{isOnline ? t.shell.connectionLost : t.shell.offline}</Text>
        </div>
      )}
    </div>
  )
}
