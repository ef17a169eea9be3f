import { Alert, Button, PasswordInput, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAction, useMe } from '../../api/hooks.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { sentence } from '../../parts/submit.tsx'
import { t } from '../../texts/security.ts'
import { Passkeys } from './Passkeys.tsx'
import { Sessions } from './Sessions.tsx'
import { TwoFactor } from './TwoFactor.tsx'

/** What one signs in with, and where one is signed in. */
export function Security() {
  return (
    <Stack gap="lg">
      <Title order={1}>{t.title}</Title>
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

/** Until the address is confirmed: what that is good for, and how to do it. */
function Email() {
  const { data: me } = useMe()
  const send = useAction({ path: '/console/email/send', done: t.email.sent, refresh: [] })
  if (!me || me.person.emailProved) return null
  return (
    <Alert color="yellow" title={t.email.title}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t.email.text(me.person.email)}</Text>
        <Button variant="default" loading={send.isPending} onClick={() => send.mutate()}>
          {t.email.go}
        </Button>
      </Stack>
    </Alert>
  )
}

function Password() {
  const form = useForm({ initialValues: { password: '', newPassword: '' } })
  const change = useAction<unknown, { password: string; newPassword: string }>({
    path: '/console/password/change',
    done: t.password.done,
  })
  const submit = form.onSubmit((values) =>
    change.mutate(values, {
      onSuccess: () => form.reset(),
      onError: ({ code, fields, message }) => {
        if (code === 'sign_in_failed') form.setFieldError('password', message)
        for (const [field, [says]] of Object.entries(fields))
          form.setFieldError(field, sentence(says ?? ''))
      },
    }),
  )
  return (
    <Card title={t.password.title}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            {t.password.text}
          </Text>
          <PasswordInput
            label={t.password.current}
            autoComplete="current-password"
            required
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label={t.password.next}
            description={t.password.help}
            autoComplete="new-password"
            required
            {...form.getInputProps('newPassword')}
          />
          <div>
            <Button type="submit" loading={change.isPending}>
              {t.password.go}
            </Button>
          </div>
        </Stack>
      </form>
    </Card>
  )
}
