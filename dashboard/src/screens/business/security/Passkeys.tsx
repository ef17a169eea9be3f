import { Group, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../../../api/call.ts'
import { act, type Envelope, useAction, useOperation } from '../../../api/hooks.ts'
import { at } from '../../../api/request.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card } from '../../../ui/DetailPage.tsx'
import { Failure, LoadingRows } from '../../../ui/feedback.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { When } from '../../../ui/values.tsx'

export function Passkeys() {
  const { data, error, isPending, refetch } = useOperation('list_passkeys')
  const remove = useAction(
    act('remove_passkey', {
      input: ({ id }: { id: string }) => ({ id }),
      done: 'Passkey removed.',
      refresh: ['list_passkeys'],
    }),
  )
  const { available = false, passkeys = [] } = data?.data ?? {}
  return (
    <Card title="Passkeys">
      <Stack>
        <Text size="sm" c="dimmed">
          Sign in with your fingerprint, your face or a security key instead of your password.
        </Text>
        {isPending ? (
          <LoadingRows count={1} />
        ) : error ? (
          <Failure error={error} again={() => void refetch()} />
        ) : passkeys.length === 0 ? (
          <Text size="sm">
            {available
              ? 'No passkeys yet.'
              : 'Passkeys need a domain name, but you opened this server using its IP address.'}
          </Text>
        ) : (
          passkeys.map((one) => (
            <Group key={one.id} justify="space-between" wrap="nowrap">
              <div>
                <Text fw={600}>{one.name}</Text>
                <Text size="sm" c="dimmed">
                  {one.lastUsedAt ? (
                    <>
                      Last used <When at={one.lastUsedAt} />
                    </>
                  ) : (
                    'Not used yet'
                  )}
                </Text>
              </div>
              <ActionButton
                label="Remove"
                size="xs"
                style={{ flexShrink: 0 }}
                aria-label={`Remove ${one.name}`}
                onClick={() =>
                  confirm({
                    title: `Remove ${one.name}?`,
                    text: 'You will no longer be able to sign in with this passkey.',
                    verb: 'Remove passkey',
                    isDangerous: true,
                    go: () => remove.mutate(one),
                  })
                }
              />
            </Group>
          ))
        )}
        {available && <AddPasskey />}
      </Stack>
    </Card>
  )
}

function AddPasskey() {
  const form = useForm({ initialValues: { name: '' } })
  const [isAdding, setAdding] = useState(false)
  const queries = useQueryClient()
  const submit = form.onSubmit(async ({ name }) => {
    setAdding(true)
    try {
      const { data: optionsJSON } = await call<Envelope<PublicKeyCredentialCreationOptionsJSON>>(
        at('begin_passkey').path,
        { method: 'POST', body: {} },
      )
      const { startRegistration } = await import('@simplewebauthn/browser')
      const response = await startRegistration({ optionsJSON })
      await call(at('finish_passkey').path, { method: 'POST', body: { name, response } })
      notifications.show({ message: 'Passkey added.', color: 'green' })
      form.reset()
      await queries.invalidateQueries()
    } catch (error) {
      // The browser's error for a prompt that the user cancelled is not meant for users.
      const says = error instanceof ApiError ? error.message : 'No passkey was created.'
      notifications.show({ message: says, color: 'red' })
    } finally {
      setAdding(false)
    }
  })
  return (
    <form onSubmit={submit}>
      <Group align="flex-end">
        <TextInput
          label="Name"
          description="For example, the name of your device."
          required
          maxLength={100}
          style={{ flex: '1 1 12rem' }}
          {...form.field('name')}
        />
        <ActionButton label="Add a passkey" type="submit" loading={isAdding} />
      </Group>
    </form>
  )
}
