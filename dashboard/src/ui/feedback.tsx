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
import { ApiError, call, placeInView } from '../api/call.ts'
import { ActionButton } from './buttons.tsx'
import { SCREENS } from './screens.ts'

/** Rows that are on their way, as tall as they will be. */
export function LoadingRows({ count = 8 }: { count?: number }) {
  return (
    <Stack gap={0} role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: count }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
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

/** A record that is on its way: its heading, its facts and what stands beside them. */
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

/** Parts of a screen that are on their way, below its heading. */
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
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
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

/** Why something is not there, and what can be done about it. */
export function Failure({
  error,
  again,
  level,
}: {
  error: unknown
  again?: () => void
  /** Of the heading, where it stands in the place of a record or of what a screen shows. */
  level?: 1 | 2
}) {
  const known = error instanceof ApiError ? error : undefined
  const elsewhere = useOtherMode(known)
  if (known?.status === 404) {
    return (
      <Nothing
        level={level}
        icon={<IconMapOff {...DRAWN} />}
        title={elsewhere?.title ?? 'Not found'}
        text={
          elsewhere?.text ?? 'It was deleted, or it belongs to the other mode or another business.'
        }
        action={elsewhere?.action}
      />
    )
  }
  if (known?.status === 403) {
    return (
      <Nothing
        level={level}
        icon={<IconLock {...DRAWN} />}
        title="Your role does not include this"
        text="Ask the owner of the business if you need it."
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
        <Nothing
          level={level}
          icon={known?.status === 0 ? <IconPlugOff {...DRAWN} /> : <IconAlertTriangle {...DRAWN} />}
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

/** How icons are drawn that stand for a whole place. */
export const DRAWN = { size: 26, stroke: 1.6 }

/** A list with nothing in it yet says what it is for, and how to begin. */
export function Nothing({
  icon,
  title,
  text,
  action,
  level = 2,
  isBroken = false,
}: {
  /** That of the screen, when it is not said. */
  icon?: ReactNode
  title: string
  text?: string
  action?: ReactNode
  /** Of its heading: 1 where it stands in the place of a screen. */
  level?: 1 | 2 | undefined
  /** Its sign then says so by its colour too. */
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

/** The one by which the navigation leads here. */
function ScreenIcon() {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [, , name] = path.split('/')
  const screen = SCREENS.flatMap(({ screens }) => screens).find((one) => one.path === name)
  const Icon = screen?.icon ?? IconInbox
  return <Icon {...DRAWN} />
}

/**
 * Where what is missing here is: the same record is looked for in the other mode, and its mode is
 * said and led to.
 */
function useOtherMode(error: ApiError | undefined) {
  const { business, mode } = placeInView()
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
    title: `This is in ${other} mode`,
    text: `There is nothing at this address here, but there is in ${other} mode.`,
    action: (
      <ActionButton
        label={`Switch to ${other}`}
        isMain
        onClick={() => void navigate({ to: path.replace(/^\/\w+/, `/${other}`) })}
      />
    ),
  }
}
