import {
  Alert,
  Badge,
  Box,
  Group,
  PasswordInput,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { act, useAction, useMe, useOperation } from '../../../api/hooks.ts'
import type { Session } from '../../../api/operations.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card } from '../../../ui/DetailPage.tsx'
import { Failure, LoadingRows } from '../../../ui/feedback.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { When } from '../../../ui/values.tsx'
import { Passkeys } from './Passkeys.tsx'
import { TwoFactor } from './TwoFactor.tsx'

export function Security() {
  return (
    <Stack gap="lg">
      <Title order={1}>Your security</Title>
      <Email />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Password />
        <Stack gap="lg">
          <TwoFactor />
          <Passkeys />
        </Stack>
      </SimpleGrid>
      <Sessions />
    </Stack>
  )
}

/** Asks the user to confirm their email address, until they have done so. */
function Email() {
  const { data: me } = useMe()
  const send = useAction(act('send_email_link', { done: 'Confirmation link sent.', refresh: [] }))
  if (!me || me.person.emailProved) return null
  return (
    <Alert color="yellow" title="Your email address is not confirmed">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          Open the link that we sent to {me.person.email}. Until then, resetting your password by
          email also removes your passkeys and your authenticator app.
        </Text>
        <ActionButton
          label="Send confirmation link"
          loading={send.isPending}
          onClick={() => send.mutate()}
        />
      </Stack>
    </Alert>
  )
}

function Password() {
  const form = useForm({ initialValues: { password: '', newPassword: '' } })
  const change = useAction(
    act('change_password', {
      done: 'Password changed. You have been signed out everywhere else.',
      caught: (error) => {
        if (error.code === 'sign_in_failed') form.setFieldError('password', error.message)
        return form.showErrors(error)
      },
    }),
  )
  const submit = form.onSubmit((values) => change.mutate(values, { onSuccess: () => form.reset() }))
  return (
    <Card title="Password">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            Changing your password signs you out everywhere else.
          </Text>
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            {...form.field('password')}
          />
          <PasswordInput
            label="New password"
            description="Use at least 12 characters. A few random words work best."
            autoComplete="new-password"
            required
            {...form.field('newPassword')}
          />
          <div>
            <ActionButton label="Change password" isMain type="submit" loading={change.isPending} />
          </div>
        </Stack>
      </form>
    </Card>
  )
}

function Sessions() {
  const { data, error, isPending, refetch } = useOperation('list_sessions')
  const end = useAction(
    act('end_session', {
      input: ({ id }: Session) => ({ id }),
      done: 'Session ended.',
      refresh: ['list_sessions'],
    }),
  )
  const endOthers = useAction(
    act('end_other_sessions', { done: 'Signed out everywhere else.', refresh: ['list_sessions'] }),
  )
  const sessions = data?.data ?? []
  const askOthers = () =>
    confirm({
      title: 'Sign out everywhere else?',
      text: 'You will have to sign in again on your other devices.',
      verb: 'Sign out everywhere else',
      go: () => endOthers.mutate(),
    })
  return (
    <Card
      title="Where you are signed in"
      actions={
        sessions.length > 1 && (
          <ActionButton label="Sign out everywhere else" size="xs" onClick={askOthers} />
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
                      This device
                    </Badge>
                  )}
                </Text>
                <Text size="sm" c="dimmed">
                  {one.ip} · Signed in <When at={one.createdAt} />, last active{' '}
                  <When at={one.lastSeenAt} />
                </Text>
              </Box>
              {!one.current && (
                <ActionButton
                  label="Sign out"
                  size="xs"
                  style={{ flexShrink: 0 }}
                  aria-label={`Sign out ${deviceOf(one.userAgent)}, ${one.ip}`}
                  onClick={() => end.mutate(one)}
                />
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

/** `Firefox on Windows` */
function deviceOf(userAgent: string | null): string {
  const browser = BROWSERS.find((name) => userAgent?.includes(`${name}/`))
  const system = SYSTEMS.find((name) => userAgent?.includes(name))
  if (!browser) return userAgent?.slice(0, 40) ?? '–'
  return `${NAMES[browser] ?? browser}${system ? ` on ${system.replace('Mac OS', 'Mac')}` : ''}`
}
