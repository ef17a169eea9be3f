import { Alert, Box, Center, Group, Loader, Skeleton, Stack, Text, Title } from '@mantine/core'
import {
  IconAlertTriangle,
  IconInbox,
  IconLock,
  IconMapOff,
  IconPlugOff,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError, call, currentPlace } from '../api/call.ts'
import { ActionButton } from './buttons.tsx'
import { SCREENS } from './screens.ts'

/** Placeholders as tall as the rows that are loading. */
export function LoadingRows({ count = 8 }: { count?: number }) {
  return (
    <Stack gap={0} role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: count }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are identical
        <Group key={i} className="loading-row" wrap="nowrap">
          <Skeleton height={14} width={`${34 - 4 * (i % 3)}%`} />
          <Skeleton height={14} width="14%" />
          <Skeleton height={14} width={`${26 - 5 * (i % 2)}%`} visibleFrom="sm" />
          <Skeleton height={14} width="16%" ml="auto" />
        </Group>
      ))}
    </Stack>
  )
}

export function LoadingRecord() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <Skeleton height={30} width="min(22rem, 70%)" />
      <div className="beside">
        <LoadingCard lines={6} />
        <LoadingCard lines={3} />
      </div>
    </Stack>
  )
}

/** Placeholders for everything below the heading of a screen. */
export function LoadingParts() {
  return (
    <Stack gap="lg" role="status" aria-busy="true" aria-label="Loading">
      <LoadingCard lines={6} />
      <LoadingCard lines={3} />
    </Stack>
  )
}

function LoadingCard({ lines }: { lines: number }) {
  return (
    <Stack gap="md" className="card" p="lg">
      <Skeleton height={20} width={130} mb={4} />
      {Array.from({ length: lines }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders are identical
        <Skeleton key={i} height={16} width={`${82 - 9 * i}%`} />
      ))}
    </Stack>
  )
}

export function LoadingScreen() {
  return (
    <Center mih="60vh">
      <Loader role="status" aria-label="Loading" />
    </Center>
  )
}

/** Explains why something can't be shown, and lets the user try again. */
export function Failure({
  error,
  again,
  level,
}: {
  error: unknown
  again?: () => void
  /** The heading level, if this replaces a record or a screen. */
  level?: 1 | 2
}) {
  const known = error instanceof ApiError ? error : undefined
  const elsewhere = useOtherMode(known)
  if (known?.status === 404) {
    return (
      <EmptyState
        level={level}
        icon={<IconMapOff {...SCREEN_ICON} />}
        title={elsewhere?.title ?? 'Not found'}
        text={
          elsewhere?.text ??
          'The record may have been deleted, or it may belong to another mode or business.'
        }
        action={elsewhere?.action}
      />
    )
  }
  if (known?.status === 403) {
    return (
      <EmptyState
        level={level}
        icon={<IconLock {...SCREEN_ICON} />}
        title="Your role does not give you access to this"
        text="Ask the owner of the business if you need access."
      />
    )
  }
  const says = (error as Error)?.message
  const request = known?.requestId && (
    <Text size="xs" c="dimmed" className="breaks">
      Request {known.requestId}
    </Text>
  )
  if (level) {
    return (
      <div role="alert">
        <EmptyState
          level={level}
          icon={
            known?.status === 0 ? (
              <IconPlugOff {...SCREEN_ICON} />
            ) : (
              <IconAlertTriangle {...SCREEN_ICON} />
            )
          }
          isBroken
          title="This could not be loaded"
          text={says}
          action={
            <Stack gap="sm" align="center">
              {again && <ActionButton label="Try again" onClick={again} />}
              {request}
            </Stack>
          }
        />
      </div>
    )
  }
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title="This could not be loaded" m="md">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{says}</Text>
        {request}
        {again && <ActionButton label="Try again" size="xs" onClick={again} />}
      </Stack>
    </Alert>
  )
}

/** The size of an icon that stands for a whole screen. */
export const SCREEN_ICON = { size: 26, stroke: 1.6 }

/** Explains what the list is for, and how to start. */
export function EmptyState({
  icon,
  title,
  text,
  action,
  level = 2,
  isBroken = false,
}: {
  /** By default, the icon of the screen. */
  icon?: ReactNode
  title: string
  text?: string
  action?: ReactNode
  /** The heading level: 1 if this replaces a screen. */
  level?: 1 | 2 | undefined
  /** Whether to colour the icon as an error. */
  isBroken?: boolean
}) {
  return (
    <Center py={56} px="md">
      <Stack align="center" gap={6} maw={440} ta="center">
        <span className={isBroken ? 'nothing-icon state-red' : 'nothing-icon'} aria-hidden>
          {icon ?? <ScreenIcon />}
        </span>
        <Title order={level} size="h2">
          {title}
        </Title>
        {text && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
        {action && <Box mt="sm">{action}</Box>}
      </Stack>
    </Center>
  )
}

function ScreenIcon() {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [, , name] = path.split('/')
  const screen = SCREENS.flatMap(({ screens }) => screens).find((one) => one.path === name)
  const Icon = screen?.icon ?? IconInbox
  return <Icon {...SCREEN_ICON} />
}

/**
 * If a record is missing, looks for it in the other mode, and returns a link to it if it is there.
 */
function useOtherMode(error: ApiError | undefined) {
  const { business, mode } = currentPlace()
  const other = mode === 'test' ? 'live' : 'test'
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { path: asked = '', query = {} } = error?.asked ?? {}
  const { data: isThere } = useQuery({
    queryKey: [business, other, 'elsewhere', asked, query],
    queryFn: async ({ signal }) => {
      await call(asked, { query, signal, place: { business, mode: other } })
      return true
    },
    enabled: error?.status === 404 && asked !== '',
    retry: false,
  })
  if (!isThere) return undefined
  return {
    title: `This record is in ${other} mode`,
    text: `This record exists in ${other} mode but not in this mode.`,
    action: (
      <ActionButton
        label={`Switch to ${other}`}
        isMain
        onClick={() => void navigate({ to: path.replace(/^\/\w+/, `/${other}`) })}
      />
    ),
  }
}
