import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { ApiError, call, whenNeeded } from '../api/call.ts'
import { ME, useMe } from '../api/hooks.ts'
import { remember } from '../api/session.ts'
import { t } from '../texts/en.ts'

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
        remember(undefined)
        // Who is signed in is asked once more, and not again when just that was refused.
        if (queries.getQueryData(ME)) void queries.resetQueries({ queryKey: ME })
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

  const submit = form.onSubmit(async (values) => {
    try {
      await call('/console/reauthenticate', {
        method: 'POST',
        body: { password: values.password, ...(values.code && { code: values.code }) },
      })
      const go = waiting.current
      waiting.current = undefined
      setOpen(false)
      setRefused(undefined)
      form.reset()
      go?.resolve()
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
        </Stack>
      </form>
    </Modal>
  )
}
