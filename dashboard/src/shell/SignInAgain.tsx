import { Alert, Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useState } from 'react'
import { type ApiError, call } from '../api/call.ts'
import { ME } from '../api/hooks.ts'
import { forgetPerson, type Me } from '../api/session.ts'
import { letGo } from '../parts/unsaved.tsx'
import { PasskeySignIn } from '../screens/account/PasskeySignIn.tsx'
import { t } from '../texts/account.ts'
import { release } from './held.ts'
import { tellOthers } from './sign-out.ts'

/** Above all there is: other dialogs (200), the one that asks again (300), toasts (400). */
const ABOVE_ALL = 500
/** Esc is not for the dialogs below it. */
const OWN_KEYS = { 'data-mantine-stop-propagation': 'true' }

/** Lets the same person sign in again over what they typed, which nobody sees until then. */
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
    await queries.refetchQueries({ queryKey: ME })
    tellOthers('in')
    if (queries.getQueryData<Me>(ME)?.person.id !== person.id) return beginAnew('/')
    release(true)
    await queries.invalidateQueries()
  }
  const submit = form.onSubmit(async ({ password, code }) => {
    setSending(true)
    setProblem(undefined)
    try {
      const body = { email: person.email, password, ...(code && { code }) }
      await call('/console/sign-in', { method: 'POST', body })
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
      title={t.again.title}
      zIndex={ABOVE_ALL}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      portalProps={{ reuseTargetNode: false }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            {t.again.text}
          </Text>
          {problem && problem.code !== 'code_needed' && (
            <Alert color="red" role="alert">
              {problem.message}
            </Alert>
          )}
          <TextInput
            label={t.email}
            value={person.email}
            readOnly
            autoComplete="username"
            {...OWN_KEYS}
          />
          <PasswordInput
            label={t.password}
            autoComplete="current-password"
            data-autofocus
            required
            {...OWN_KEYS}
            {...form.getInputProps('password')}
          />
          {needsCode && (
            <TextInput
              label={t.code}
              description={t.codeHelp}
              autoComplete="one-time-code"
              required
              {...OWN_KEYS}
              {...form.getInputProps('code')}
            />
          )}
          <Button type="submit" loading={isSending}>
            {t.signIn.go}
          </Button>
          {person.passkey && <PasskeySignIn onDone={() => void goOn()} onProblem={setProblem} />}
          <Button variant="subtle" color="gray" onClick={() => beginAnew('/sign-in')}>
            {t.again.other}
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}

/** What was typed is not for anybody else: this page goes, with all that it knows. */
function beginAnew(address: string): void {
  letGo()
  forgetPerson()
  location.replace(address)
}
