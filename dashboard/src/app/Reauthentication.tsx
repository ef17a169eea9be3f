import { Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError, callOperation, setSessionHandlers } from '../api/call.ts'
import { ME_QUERY, useMe } from '../api/hooks.ts'
import { pauseRequests } from '../api/paused-requests.ts'
import { type Me, rememberUser } from '../api/session.ts'
import { ActionButton } from '../ui/buttons.tsx'
import { PasskeySignIn } from '../ui/PasskeySignIn.tsx'
import { hasUnsavedText } from '../ui/unsaved.tsx'
import { useForm } from '../ui/use-form.ts'

/** The prompt is above other dialogs (200) and below toasts (400). */
const ABOVE_MODALS = 300

/** Asks for the password when the server needs it again. The refused request then continues. */
export function ReauthenticationModal() {
  const [isOpen, setOpen] = useState(false)
  const [refused, setRefused] = useState<string>()
  const waiting = useRef<{ resolve(): void; reject(error: Error): void } | undefined>(undefined)
  const queries = useQueryClient()
  const { data: me } = useMe()
  const form = useForm({ initialValues: { password: '', code: '' } })

  useEffect(() => {
    setSessionHandlers({
      reauthenticate: () =>
        new Promise((resolve, reject) => {
          waiting.current = { resolve, reject }
          setOpen(true)
        }),
      ended: () => {
        const isKnown = queries.getQueryData<Me>(ME_QUERY) !== undefined
        if (isKnown && hasUnsavedText()) return pauseRequests()
        rememberUser(undefined)
        // Reloads the signed-in user, unless the request for the user was the one that was refused.
        if (isKnown) void queries.resetQueries({ queryKey: ME_QUERY })
        return undefined
      },
    })
  }, [queries])

  const close = () => {
    setOpen(false)
    setRefused(undefined)
    form.reset()
    waiting.current?.reject(
      new ApiError('Cancelled. Nothing was changed.', { status: 0, code: 'given_up' }),
    )
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
      await callOperation('reauthenticate', {
        password: values.password,
        ...(values.code && { code: values.code }),
      })
      goOn()
    } catch (error) {
      setRefused((error as Error).message)
    }
  })

  return (
    // The prompt is always above the form that caused it, whichever opened first.
    <Modal opened={isOpen} onClose={close} title="Confirm it’s you" zIndex={ABOVE_MODALS}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            Enter your password again. We ask for it before you move money or change keys or team
            members.
          </Text>
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            data-autofocus
            required
            {...form.field('password')}
            error={refused}
          />
          {me?.person.twoFactor && (
            <TextInput
              label="Code from your authenticator app"
              autoComplete="one-time-code"
              inputMode="numeric"
              {...form.field('code')}
            />
          )}
          <ActionButton label="Continue" isMain type="submit" />
          {me?.person.passkey && (
            <PasskeySignIn
              begin="begin_passkey_reauthentication"
              finish="finish_passkey_reauthentication"
              onDone={goOn}
              onProblem={({ message }) => setRefused(message)}
            />
          )}
        </Stack>
      </form>
    </Modal>
  )
}
