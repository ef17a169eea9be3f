import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, call } from '../../api/call.ts'
import { type Envelope, useAction, useRead } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { Failure, LoadingRows } from '../../parts/states.tsx'
import { When } from '../../parts/values.tsx'
import { t } from '../../texts/security.ts'

interface Passkey {
  id: string
  name: string
  lastUsedAt: string | null
  createdAt: string
}

type Listed = Envelope<{ available: boolean; passkeys: Passkey[] }>

export function Passkeys() {
  const { data, error, isPending, refetch } = useRead<Listed>('/console/passkeys')
  const remove = useAction<unknown, Passkey>({
    path: ({ id }) => `/console/passkeys/${id}/remove`,
    send: () => ({}),
    done: t.passkeys.removed,
    refresh: ['/console/passkeys'],
  })
  const { available = false, passkeys = [] } = data?.data ?? {}
  return (
    <Card title={t.passkeys.title}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t.passkeys.text}
        </Text>
        {isPending ? (
          <LoadingRows count={1} />
        ) : error ? (
          <Failure error={error} again={() => void refetch()} />
        ) : passkeys.length === 0 ? (
          <Text size="sm">{available ? t.passkeys.none : t.passkeys.unavailable}</Text>
        ) : (
          passkeys.map((one) => (
            <Group key={one.id} justify="space-between" wrap="nowrap">
              <div>
                <Text fw={600}>{one.name}</Text>
                <Text size="sm" c="dimmed">
                  {one.lastUsedAt ? (
                    <>
                      {t.passkeys.used} <When at={one.lastUsedAt} />
                    </>
                  ) : (
                    t.passkeys.never
                  )}
                </Text>
              </div>
              <Button
                variant="default"
                size="xs"
                style={{ flexShrink: 0 }}
                aria-label={`${t.passkeys.remove} ${one.name}`}
                onClick={() =>
                  confirm({
                    title: `${t.passkeys.remove} ${one.name}?`,
                    text: t.passkeys.removeText,
                    verb: t.passkeys.remove,
                    isDangerous: true,
                    go: () => remove.mutate(one),
                  })
                }
              >
                {t.passkeys.remove}
              </Button>
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
        '/console/passkeys/begin',
        { method: 'POST', body: {} },
      )
      const { startRegistration } = await import('@simplewebauthn/browser')
      const response = await startRegistration({ optionsJSON })
      await call('/console/passkeys/finish', { method: 'POST', body: { name, response } })
      notifications.show({ message: t.passkeys.added, color: 'green' })
      form.reset()
      await queries.invalidateQueries()
    } catch (error) {
      // What the browser says of a cancelled question is not for people.
      const says = error instanceof ApiError ? error.message : t.passkeys.failed
      notifications.show({ message: says, color: 'red' })
    } finally {
      setAdding(false)
    }
  })
  return (
    <form onSubmit={submit}>
      <Group align="flex-end">
        <TextInput
          label={t.passkeys.name}
          description={t.passkeys.nameHelp}
          required
          maxLength={100}
          style={{ flex: '1 1 12rem' }}
          {...form.getInputProps('name')}
        />
        <Button type="submit" variant="default" loading={isAdding}>
          {t.passkeys.add}
        </Button>
      </Group>
    </form>
  )
}
