import { Button, Center, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconMapOff } from '@tabler/icons-react'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DRAWN, Nothing } from '../parts/states.tsx'
import { t } from '../texts/en.ts'
import { useGo } from './where.ts'

/** In the place of a screen that there is not. */
export function NoScreen() {
  const go = useGo()
  return (
    <Instead
      icon={<IconMapOff {...DRAWN} />}
      title={t.error.noScreen}
      text={t.error.noScreenText}
      actions={<Button onClick={() => go('overview')}>{t.shell.toOverview}</Button>}
    />
  )
}

/** In the place of a screen whose program failed, or could not be loaded. */
export function BrokenScreen({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const go = useGo()
  const again = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Instead
      icon={<IconAlertTriangle {...DRAWN} />}
      title={t.shell.broken}
      text={t.shell.brokenText}
      actions={
        <>
          <Button onClick={again}>{t.error.again}</Button>
          <Button variant="default" onClick={() => location.reload()}>
            {t.shell.reload}
          </Button>
          <Button variant="default" onClick={() => go('overview')}>
            {t.shell.toOverview}
          </Button>
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
      <Nothing
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
