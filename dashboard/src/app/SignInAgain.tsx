import { Alert, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useState } from 'react'
import { type ApiError, callOperation } from '../api/call.ts'
import { ME_QUERY } from '../api/hooks.ts'
import { resumeRequests } from '../api/paused-requests.ts'
import { clearUserData, type Me } from '../api/session.ts'
import { notifyOtherWindows } from '../api/sign-out.ts'
import { ActionButton } from '../ui/buttons.tsx'
import { PasskeySignIn } from '../ui/PasskeySignIn.tsx'
import { allowLeaving } from '../ui/unsaved.tsx'
import { useForm } from '../ui/use-form.ts'

/** The prompt is above other dialogs (200), the password prompt (300) and toasts (400). */
const ABOVE_ALL = 500
/** Keeps Esc from closing the dialogs below. */
const OWN_KEYS = { 'data-mantine-stop-propagation': 'true' }

/**
 * Lets the same person sign in again without losing what they typed. Hides the screen until then.
 */
export function SignInAgain({ me: { person } }: { me: Me }) {
  const queries = useQueryClient()
  const form = useForm({ initialValues: { password: '', code: '' } })
  const [problem, setProblem] = useState<ApiError>()
  const [isSending, setSending] = useState(false)
  const needsCode =
    person.twoFactor || problem?.code === 'code_needed' || problem?.code === 'code_wrong'
  useLayoutEffect(() => {
    document.documentElement.classList.add('held')
    return () => document.documentElement.classList.remove('held')
  }, [])

  const goOn = async () => {
    await queries.refetchQueries({ queryKey: ME_QUERY })
    notifyOtherWindows('in')
    if (queries.getQueryData<Me>(ME_QUERY)?.person.id !== person.id) return beginAnew('/')
    resumeRequests(true)
    await queries.invalidateQueries()
  }
  const submit = form.onSubmit(async ({ password, code }) => {
    setSending(true)
    setProblem(undefined)
    try {
      const body = { email: person.email, password, ...(code && { code }) }
      await callOperation('sign_in', body)
      await goOn()
    } catch (error) {
      setProblem(error as ApiError)
    } finally {
      setSending(false)
    }
  })

  return (
    <Modal
      opened
      onClose={() => {}}
      title="Sign in to continue"
      zIndex={ABOVE_ALL}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      portalProps={{ reuseTargetNode: false }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            Your session has ended. What you typed is still here but has not been saved.
          </Text>
          {problem && problem.code !== 'code_needed' && (
            <Alert color="red" role="alert">
              {problem.message}
            </Alert>
          )}
          <TextInput
            label="Email address"
            value={person.email}
            readOnly
            autoComplete="username"
            {...OWN_KEYS}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            data-autofocus
            required
            {...OWN_KEYS}
            {...form.field('password')}
          />
          {needsCode && (
            <TextInput
              label="Code from your authenticator app"
              description="You can also enter a recovery code."
              autoComplete="one-time-code"
              required
              {...OWN_KEYS}
              {...form.field('code')}
            />
          )}
          <ActionButton label="Sign in" isMain type="submit" loading={isSending} />
          {person.passkey && <PasskeySignIn onDone={() => void goOn()} onProblem={setProblem} />}
          <ActionButton
            label="Discard changes and sign in as someone else"
            variant="subtle"
            color="gray"
            onClick={() => beginAnew('/sign-in')}
          />
        </Stack>
      </form>
    </Modal>
  )
}

/** Opens the sign-in page for someone else. Discards everything that was typed or loaded. */
function beginAnew(address: string): void {
  allowLeaving()
  clearUserData()
  location.replace(address)
}
