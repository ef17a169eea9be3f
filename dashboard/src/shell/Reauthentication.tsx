import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError, call, whenNeeded } from '../api/call.ts'
import { ME, useMe } from '../api/hooks.ts'
import { type Me, remember } from '../api/session.ts'
import { isTyped } from '../parts/unsaved.tsx'
import { PasskeySignIn } from '../screens/account/PasskeySignIn.tsx'
import { t } from '../texts/en.ts'
import { hold } from './held.ts'

/** Between other dialogs (200) and toasts (400). */
const ABOVE_MODALS = 300

/** Asks for the password when the server wants it again, and lets what was refused go on then. */
export function ReauthenticationModal() {
  const [isOpen, setOpen] = useState(false)
  const [refused, setRefused] = useState<string>()
  const waiting = useRef<{ resolve(): void; reject(error: Error): void } | undefined>(undefined)
  const queries = useQueryClient()
  const { data: me } = useMe()
  const form = useForm({ initialValues: { password: '', code: '' } })

  useEffect(() => {
    whenNeeded({
      reauthenticate: () =>
        new Promise((resolve, reject) => {
          waiting.current = { resolve, reject }
          setOpen(true)
        }),
      ended: () => {
        const isKnown = queries.getQueryData<Me>(ME) !== undefined
        if (isKnown && isTyped()) return hold()
        remember(undefined)
        // Who is signed in is asked once more, and not again when just that was refused.
        if (isKnown) void queries.resetQueries({ queryKey: ME })
        return undefined
      },
    })
  }, [queries])

  const close = () => {
    setOpen(false)
    setRefused(undefined)
    form.reset()
    waiting.current?.reject(new ApiError('Nothing was changed.', { status: 0, code: 'given_up' }))
    waiting.current = undefined
  }

  const goOn = () => {
    const go = waiting.current
    waiting.current = undefined
    setOpen(false)
    setRefused(undefined)
    form.reset()
    go?.resolve()
  }

  const submit = form.onSubmit(async (values) => {
    try {
      await call('/console/reauthenticate', {
        method: 'POST',
        body: { password: values.password, ...(values.code && { code: values.code }) },
      })
      goOn()
    } catch (error) {
      setRefused((error as Error).message)
    }
  })

  return (
    // Above the form that asked for it, whichever of them is opened first.
    <Modal opened={isOpen} onClose={close} title={t.reauthenticate.title} zIndex={ABOVE_MODALS}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            {t.reauthenticate.text}
          </Text>
          <PasswordInput
            label={t.reauthenticate.password}
            autoComplete="current-password"
            data-autofocus
            required
            {...form.getInputProps('password')}
            error={refused}
          />
          {me?.person.twoFactor && (
            <TextInput
              label={t.reauthenticate.code}
              autoComplete="one-time-code"
              inputMode="numeric"
              {...form.getInputProps('code')}
            />
          )}
          <Button type="submit">{t.reauthenticate.go}</Button>
          {me?.person.passkey && (
            <PasskeySignIn
              at="/console/reauthenticate/passkey"
              onDone={goOn}
              onProblem={({ message }) => setRefused(message)}
            />
          )}
        </Stack>
      </form>
    </Modal>
  )
}
