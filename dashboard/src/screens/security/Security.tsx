import { Button, PasswordInput, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAction } from '../../api/hooks.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { t } from '../../texts/security.ts'
import { Passkeys } from './Passkeys.tsx'
import { Sessions } from './Sessions.tsx'
import { TwoFactor } from './TwoFactor.tsx'

/** What one signs in with, and where one is signed in. */
export function Security() {
  return (
    <Stack gap="lg">
      <Title order={1}>{t.title}</Title>
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
        for (const [field, [says]] of Object.entries(fields)) form.setFieldError(field, says)
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
