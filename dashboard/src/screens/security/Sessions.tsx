import { Badge, Box, Button, Group, Stack, Text } from '@mantine/core'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { Failure, LoadingRows } from '../../parts/states.tsx'
import { When } from '../../parts/values.tsx'
import { t } from '../../texts/security.ts'

interface Session {
  id: number
  current: boolean
  ip: string
  userAgent: string | null
  createdAt: string
  lastSeenAt: string
}

const PATH = '/console/sessions'

export function Sessions() {
  const { data, error, isPending, refetch } = useRead<Envelope<Session[]>>(PATH)
  const end = useAction<unknown, Session>({
    path: ({ id }) => `${PATH}/${id}/end`,
    send: () => ({}),
    done: t.sessions.ended,
    refresh: [PATH],
  })
  const endOthers = useAction({
    path: `${PATH}/end-others`,
    done: t.sessions.othersEnded,
    refresh: [PATH],
  })
  const sessions = data?.data ?? []
  const askOthers = () =>
    confirm({
      title: t.sessions.endOthers,
      text: t.sessions.endOthersText,
      verb: t.sessions.endOthers,
      go: () => endOthers.mutate(),
    })
  return (
    <Card
      title={t.sessions.title}
      actions={
        sessions.length > 1 && (
          <Button variant="default" size="xs" onClick={askOthers}>
            {t.sessions.endOthers}
          </Button>
        )
      }
    >
      {isPending ? (
        <LoadingRows count={2} />
      ) : error ? (
        <Failure error={error} again={() => void refetch()} />
      ) : (
        <Stack>
          {sessions.map((one) => (
            <Group key={one.id} justify="space-between" wrap="nowrap" align="flex-start">
              <Box style={{ minWidth: 0 }}>
                <Text fw={600}>
                  {deviceOf(one.userAgent)}{' '}
                  {one.current && (
                    <Badge className="state-green" variant="light" tt="none">
                      {t.sessions.current}
                    </Badge>
                  )}
                </Text>
                <Text size="sm" c="dimmed">
                  {one.ip} · {t.sessions.since} <When at={one.createdAt} />, {t.sessions.seen}{' '}
                  <When at={one.lastSeenAt} />
                </Text>
              </Box>
              {!one.current && (
                <Button
                  variant="default"
                  size="xs"
                  style={{ flexShrink: 0 }}
                  aria-label={`${t.sessions.end} ${deviceOf(one.userAgent)}, ${one.ip}`}
                  onClick={() => end.mutate(one)}
                >
                  {t.sessions.end}
                </Button>
              )}
            </Group>
          ))}
        </Stack>
      )}
    </Card>
  )
}

const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari']
const NAMES: Record<string, string> = { Edg: 'Edge', OPR: 'Opera' }
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux']

/** `Firefox on Windows` of what a browser says of itself. */
function deviceOf(userAgent: string | null): string {
  const browser = BROWSERS.find((name) => userAgent?.includes(`${name}/`))
  const system = SYSTEMS.find((name) => userAgent?.includes(name))
  if (!browser) return userAgent?.slice(0, 40) ?? '–'
  return `${NAMES[browser] ?? browser}${system ? ` on ${system.replace('Mac OS', 'Mac')}` : ''}`
}
