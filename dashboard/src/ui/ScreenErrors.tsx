import { Center, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconMapOff } from '@tabler/icons-react'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ActionButton } from './buttons.tsx'
import { EmptyState, SCREEN_ICON } from './feedback.tsx'
import { useGo } from './navigation.ts'

export function NoScreen() {
  const go = useGo()
  return (
    <Instead
      icon={<IconMapOff {...SCREEN_ICON} />}
      title="Page not found"
      text="The URL may be mistyped, or the page may have moved."
      actions={<ActionButton label="Go to the overview" isMain onClick={() => go('overview')} />}
    />
  )
}

export function BrokenScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const go = useGo()
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Instead
      icon={<IconAlertTriangle {...SCREEN_ICON} />}
      title="Something went wrong on this screen"
      text="The rest of the dashboard still works. Try again, or go to another screen."
      actions={
        <>
          <ActionButton label="Try again" isMain onClick={again} />
          <ActionButton label="Reload" onClick={() => location.reload()} />
          <ActionButton label="Go to the overview" onClick={() => go('overview')} />
        </>
      }
    >
      <Text size="sm" c="dimmed">
        {error instanceof Error ? error.message : String(error)}
      </Text>
    </Instead>
  )
}

function Instead({
  icon,
  title,
  text,
  actions,
  children,
}: {
  icon: ReactNode
  title: string
  text: string
  actions: ReactNode
  children?: ReactNode
}) {
  return (
    <Center mih="55vh">
      <EmptyState
        icon={icon}
        level={1}
        title={title}
        text={text}
        action={
          <>
            {children}
            <Group justify="center" mt="sm">
              {actions}
            </Group>
          </>
        }
      />
    </Center>
  )
}
