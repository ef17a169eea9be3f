import { Alert, Button, Center, Loader, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconLock, IconMoodEmpty } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ApiError } from '../api/call.ts'
import { t } from '../texts/en.ts'

/** Rows that are on their way, as tall as they will be. */
export function LoadingRows({ count = 8 }: { count?: number }) {
  return (
    <Stack gap="sm" p="md" aria-busy="true" aria-label="Loading">
      {Array.from({ length: count }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <Skeleton key={i} height={34} />
      ))}
    </Stack>
  )
}

/** A record that is on its way: its heading and its facts, about where they will be. */
export function LoadingRecord() {
  return (
    <Stack gap="lg" aria-busy="true" aria-label="Loading">
      <Skeleton height={36} width="min(22rem, 70%)" />
      <Stack gap="md" className="card" p="lg">
        <Skeleton height={22} width={140} />
        {Array.from({ length: 6 }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
          <Skeleton key={i} height={18} width={`${80 - 7 * i}%`} />
        ))}
      </Stack>
    </Stack>
  )
}

export function LoadingScreen() {
  return (
    <Center mih="60vh">
      <Loader aria-label="Loading" />
    </Center>
  )
}

/** Why something is not there, and what can be done about it. */
export function Failure({ error, again }: { error: unknown; again?: () => void }) {
  const known = error instanceof ApiError ? error : undefined
  if (known?.status === 404) {
    return <Nothing title={t.error.missing} text={t.error.missingText} />
  }
  if (known?.status === 403) {
    return (
      <Nothing
        icon={<IconLock size={32} />}
        title={t.error.forbidden}
        text={t.error.forbiddenText}
      />
    )
  }
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title={t.error.title} m="md">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{(error as Error)?.message}</Text>
        {known?.requestId && (
          <Text size="xs" c="dimmed">
            {t.error.requestId} {known.requestId}
          </Text>
        )}
        {again && (
          <Button size="xs" variant="default" onClick={again}>
            {t.error.again}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** A list with nothing in it yet says what it is for, and how to begin. */
export function Nothing({
  icon = <IconMoodEmpty size={32} />,
  title,
  text,
  action,
}: {
  icon?: ReactNode
  title: string
  text?: string
  action?: ReactNode
}) {
  return (
    <Center py={64} px="md">
      <Stack align="center" gap="xs" maw={420} ta="center">
        <Text c="dimmed" span aria-hidden>
          {icon}
        </Text>
        <Title order={2}>{title}</Title>
        {text && <Text c="dimmed">{text}</Text>}
        {action}
      </Stack>
    </Center>
  )
}
