import {
  Badge,
  Code,
  CopyButton,
  Group,
  Modal,
  PasswordInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCopy, IconDownload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiError } from '../../../api/call.ts'
import { saveFile } from '../../../api/download.ts'
import { act, useAction, useMe } from '../../../api/hooks.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { confirm } from '../../../ui/confirm.tsx'
import { Card } from '../../../ui/DetailPage.tsx'
import { FormModal } from '../../../ui/forms.tsx'
import { PasskeySignIn } from '../../../ui/PasskeySignIn.tsx'
import { useForm } from '../../../ui/use-form.ts'
import { Copyable } from '../../../ui/values.tsx'

interface Begun {
  secret: string
  url: string
  qr: Picture
}

export function TwoFactor() {
  const { data: me } = useMe()
  const isOn = me?.person.twoFactor ?? false
  const [begun, setBegun] = useState<Begun>()
  const [codes, setCodes] = useState<string[]>()
  const [isRemoving, setRemoving] = useState(false)
  const begin = useAction(act('begin_two_factor', { refresh: [] }))
  const renew = useAction(act('renew_recovery_codes', { refresh: [] }))

  return (
    <Card
      title="Two-factor authentication"
      actions={
        <Badge className={isOn ? 'state-green' : 'state-gray'} variant="light" tt="none">
          {isOn ? 'On' : 'Off'}
        </Badge>
      }
    >
      <Stack>
        <Text size="sm" c="dimmed">
          {isOn
            ? 'You also need a code from your authenticator app to sign in.'
            : 'Protects your account if your password is stolen: you also need a code from an app on your phone to sign in.'}
        </Text>
        <Group>
          {isOn ? (
            <>
              <ActionButton
                label="Replace recovery codes"
                loading={renew.isPending}
                onClick={() =>
                  confirm({
                    title: 'Replace recovery codes?',
                    text: 'Your current recovery codes will stop working. The ten new codes will be shown only once.',
                    verb: 'Replace recovery codes',
                    go: () =>
                      renew.mutate(undefined, {
                        onSuccess: ({ data }) => setCodes(data.recoveryCodes),
                      }),
                  })
                }
              />
              <ActionButton label="Turn off" onClick={() => setRemoving(true)} />
            </>
          ) : (
            <ActionButton
              label="Set up"
              isMain
              loading={begin.isPending}
              onClick={() => begin.mutate(undefined, { onSuccess: ({ data }) => setBegun(data) })}
            />
          )}
        </Group>
      </Stack>
      <Modal
        opened={begun !== undefined}
        onClose={() => setBegun(undefined)}
        title="Set up two-factor authentication"
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

/** Asks for a code or a passkey. */
function Removal({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const { data: me } = useMe()
  const queries = useQueryClient()
  const removed = () => {
    onClose()
    notifications.show({ message: 'Two-factor authentication turned off.', color: 'green' })
    void queries.invalidateQueries()
  }
  const refused = ({ message }: ApiError) =>
    notifications.show({ title: 'Something went wrong', message, color: 'red' })
  return (
    <FormModal
      title="Turn off two-factor authentication"
      opened={opened}
      onClose={onClose}
      initial={{ password: '', code: '' }}
      action={act('remove_two_factor', { done: 'Two-factor authentication turned off.' })}
      verb="Turn off"
    >
      {(form) => (
        <>
          <Text size="sm">Your password alone will be enough to sign in.</Text>
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            data-autofocus
            {...form.field('password')}
          />
          <TextInput
            label="Code"
            description="From your authenticator app, or a recovery code."
            autoComplete="one-time-code"
            required
            {...form.field('code')}
          />
          {me?.person.passkey && (
            <PasskeySignIn
              begin="begin_passkey_reauthentication"
              finish="remove_two_factor"
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
  const turnOn = useAction(
    act('confirm_two_factor', {
      caught: (error) => {
        if (!form.showErrors(error)) form.setFieldError('code', error.message)
        return true
      },
    }),
  )
  const submit = form.onSubmit((values) =>
    turnOn.mutate(values, { onSuccess: ({ data }) => onDone(data.recoveryCodes) }),
  )
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          Scan this QR code with an authenticator app, or enter the key in the app.
        </Text>
        <QrCode picture={begun.qr} label="QR code with the key for an authenticator app" />
        <div>
          <Text size="sm" fw={500}>
            Key
          </Text>
          <Copyable text={begun.secret} />
        </div>
        <TextInput
          label="Code from the app"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          data-autofocus
          {...form.field('code')}
        />
        <ActionButton label="Turn on" isMain type="submit" loading={turnOn.isPending} />
      </Stack>
    </form>
  )
}

/** The modules of a QR code, in rows of `1` (dark) and `0` (light). */
interface Picture {
  size: number
  rows: string[]
}

/** Scanners need a light margin of four modules. */
const QUIET = 4

/** Always dark on light, as scanners require. All modules are in a single path. */
function QrCode({ picture: { size, rows }, label }: { picture: Picture; label: string }) {
  const path = rows
    .flatMap((row, y) => [...row].map((module, x) => (module === '1' ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  const whole = size + 2 * QUIET
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`${-QUIET} ${-QUIET} ${whole} ${whole}`}
      width={220}
      height={220}
      shapeRendering="crispEdges"
    >
      <rect x={-QUIET} y={-QUIET} width={whole} height={whole} rx={2} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  )
}

/** Shows the recovery codes, which can't be shown again. Only the button closes the dialog. */
function RecoveryCodes({ codes, onClose }: { codes: string[] | undefined; onClose(): void }) {
  const text = `${(codes ?? []).join('\n')}\n`
  return (
    <Modal
      opened={codes !== undefined}
      onClose={onClose}
      title="Your recovery codes"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text size="sm">
          If you lose your phone, you can use each of these codes once to sign in. Store the codes
          somewhere safe: they won’t be shown again.
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          {codes?.map((code) => (
            <Code key={code} ta="center" data-recovery-code>
              {code}
            </Code>
          ))}
        </SimpleGrid>
        <Group>
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <ActionButton icon={IconCopy} label={copied ? 'Copied' : 'Copy all'} onClick={copy} />
            )}
          </CopyButton>
          <ActionButton
            icon={IconDownload}
            label="Download"
            onClick={() =>
              saveFile('tradepost-recovery-codes.txt', new Blob([text], { type: 'text/plain' }))
            }
          />
        </Group>
        <ActionButton label="I have saved them" isMain onClick={onClose} />
      </Stack>
    </Modal>
  )
}
