import { Badge, Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../api/call.ts'
import { type Envelope, useAction, useMe } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { Copyable } from '../../parts/values.tsx'
import { t as shared } from '../../texts/en.ts'
import { t } from '../../texts/security.ts'
import { PasskeySignIn } from '../account/PasskeySignIn.tsx'
import { type Picture, QrCode } from './QrCode.tsx'
import { RecoveryCodes } from './RecoveryCodes.tsx'

interface Begun {
  secret: string
  url: string
  qr: Picture
}

type Codes = Envelope<{ recoveryCodes: string[] }>

const words = t.twoFactor

export function TwoFactor() {
  const { data: me } = useMe()
  const isOn = me?.person.twoFactor ?? false
  const [begun, setBegun] = useState<Begun>()
  const [codes, setCodes] = useState<string[]>()
  const [isRemoving, setRemoving] = useState(false)
  const begin = useAction<Envelope<Begun>>({ path: '/console/two-factor/begin', refresh: [] })
  const renew = useAction<Codes>({ path: '/console/two-factor/recovery-codes', refresh: [] })

  return (
    <Card
      title={words.title}
      actions={
        <Badge className={isOn ? 'state-green' : 'state-gray'} variant="light" tt="none">
          {isOn ? words.on : words.off}
        </Badge>
      }
    >
      <Stack>
        <Text size="sm" c="dimmed">
          {isOn ? words.textOn : words.textOff}
        </Text>
        <Group>
          {isOn ? (
            <>
              <Button
                variant="default"
                loading={renew.isPending}
                onClick={() =>
                  confirm({
                    title: words.codes,
                    text: words.codesText,
                    verb: words.codes,
                    go: () =>
                      renew.mutate(undefined, {
                        onSuccess: ({ data }) => setCodes(data.recoveryCodes),
                      }),
                  })
                }
              >
                {words.codes}
              </Button>
              <Button variant="default" onClick={() => setRemoving(true)}>
                {words.remove}
              </Button>
            </>
          ) : (
            <Button
              loading={begin.isPending}
              onClick={() => begin.mutate(undefined, { onSuccess: ({ data }) => setBegun(data) })}
            >
              {words.setUp}
            </Button>
          )}
        </Group>
      </Stack>
      <Modal
        opened={begun !== undefined}
        onClose={() => setBegun(undefined)}
        title={words.setUpTitle}
      >
        {begun && (
          <SetUp
            begun={begun}
            onDone={(given) => {
              setBegun(undefined)
              setCodes(given)
            }}
          />
        )}
      </Modal>
      <RecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />
      <Removal opened={isRemoving} onClose={() => setRemoving(false)} />
    </Card>
  )
}

const REMOVE = '/console/two-factor/remove'

/** Asks for the factor itself once more, or for a passkey beside it. */
function Removal({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const { data: me } = useMe()
  const queries = useQueryClient()
  const removed = () => {
    onClose()
    notifications.show({ message: words.removed, color: 'green' })
    void queries.invalidateQueries()
  }
  const refused = ({ message }: ApiError) =>
    notifications.show({ title: shared.error.failed, message, color: 'red' })
  return (
    <FormModal
      title={words.remove}
      opened={opened}
      onClose={onClose}
      initial={{ password: '', code: '' }}
      action={{ path: REMOVE, done: words.removed }}
      verb={words.remove}
    >
      {(form) => (
        <>
          <Text size="sm">{words.removeText}</Text>
          <PasswordInput
            label={t.password.title}
            autoComplete="current-password"
            required
            data-autofocus
            {...form.getInputProps('password')}
          />
          <TextInput
            label={words.removeCode}
            description={words.removeCodeHelp}
            autoComplete="one-time-code"
            required
            {...form.getInputProps('code')}
          />
          {me?.person.passkey && (
            <PasskeySignIn
              at="/console/reauthenticate/passkey"
              to={REMOVE}
              onDone={removed}
              onProblem={refused}
            />
          )}
        </>
      )}
    </FormModal>
  )
}

function SetUp({ begun, onDone }: { begun: Begun; onDone(codes: string[]): void }) {
  const form = useForm({ initialValues: { code: '' } })
  const turnOn = useAction<Codes, { code: string }>({ path: '/console/two-factor/confirm' })
  const submit = form.onSubmit((values) =>
    turnOn.mutate(values, {
      onSuccess: ({ data }) => onDone(data.recoveryCodes),
      onError: ({ message }) => form.setFieldError('code', message),
    }),
  )
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{words.scan}</Text>
        <QrCode picture={begun.qr} label={words.picture} />
        <div>
          <Text size="sm" fw={500}>
            {words.key}
          </Text>
          <Copyable text={begun.secret} />
        </div>
        <TextInput
          label={words.code}
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          data-autofocus
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={turnOn.isPending}>
          {words.confirm}
        </Button>
      </Stack>
    </form>
  )
}
