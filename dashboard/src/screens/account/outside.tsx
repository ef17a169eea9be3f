import { Alert, Anchor, Button, Code, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { type ApiError, call } from '../../api/call.ts'
import { type Envelope, ME, useMe, useRead } from '../../api/hooks.ts'
import { LoadingScreen } from '../../parts/states.tsx'
import { sentence } from '../../parts/submit.tsx'
import { tellOthers } from '../../shell/sign-out.ts'
import { t } from '../../texts/account.ts'
import { Outside } from './frame.tsx'
import { NoLink, useLink } from './link.tsx'
import { PasskeySignIn } from './PasskeySignIn.tsx'

interface Fields {
  [name: string]: string
}

/** What is said at a field that must not be empty. */
const NEEDED: Fields = t.needed

/** Sends a form of this frame; what the server says of a field stands at the field. */
function useSend(path: string, initial: Fields) {
  const form = useForm<Fields>({ initialValues: initial })
  const [problem, setProblem] = useState<ApiError>()
  const [isSending, setSending] = useState(false)
  const send = (more: Fields, done: (answer: unknown) => void) =>
    form.onSubmit(async (values) => {
      const missing = Object.keys(values).filter(
        (field) => isNeeded(field) && !(field in more) && values[field] === '',
      )
      for (const field of missing) form.setFieldError(field, NEEDED[field])
      if (missing.length > 0) return
      setSending(true)
      setProblem(undefined)
      try {
        const given = Object.fromEntries(
          Object.entries({ ...values, ...more }).filter(([, value]) => value !== ''),
        )
        done(await call(path, { method: 'POST', body: given }))
      } catch (error) {
        const refused = error as ApiError
        for (const [field, [says]] of Object.entries(refused.fields ?? {}))
          form.setFieldError(field, sentence(says ?? ''))
        setProblem(refused)
      } finally {
        setSending(false)
      }
    })
  // That a code is needed is no mistake; the field for it says so.
  const isWrong = problem && problem.code !== 'code_needed'
  const says = isWrong && Object.keys(problem.fields).length === 0 && (
    <Alert color="red" role="alert">
      {problem.message}
    </Alert>
  )
  const needsCode = problem?.code === 'code_needed' || problem?.code === 'code_wrong'
  const isNeeded = (field: string) => field in NEEDED && (field !== 'code' || needsCode)
  return { form, send, isSending, says, setProblem, needsCode }
}

/** Of this site alone: `//` and `/\\` lead elsewhere. Nor here again. */
const LEADS_ON = /^\/(?![/\\]|sign-in\b)/

export function SignIn() {
  const { form, send, isSending, says, setProblem, needsCode } = useSend('/console/sign-in', {
    email: '',
    password: '',
    code: '',
  })
  const { next } = useSearch({ strict: false }) as { next?: string }
  const { data: me, error } = useMe()
  const queries = useQueryClient()
  const enter = async () => {
    tellOthers('in')
    await queries.invalidateQueries({ queryKey: ME })
  }
  // Whoever has just signed in, or was signed in before, goes on.
  if (me && !error) {
    const on = new URL(next && LEADS_ON.test(next) ? next : '/test/overview', location.origin)
    const search = Object.fromEntries(on.searchParams)
    return <Navigate to={on.pathname} search={search as never} replace />
  }
  return (
    <Outside title={t.signIn.title}>
      <form noValidate onSubmit={send({}, () => void enter())}>
        <Stack>
          {says}
          <Welcome />
          <TextInput
            label={t.email}
            type="email"
            autoComplete="username"
            required
            autoFocus
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label={t.password}
            autoComplete="current-password"
            required
            {...form.getInputProps('password')}
          />
          {needsCode && <CodeField {...form.getInputProps('code')} />}
          <Button type="submit" loading={isSending}>
            {t.signIn.go}
          </Button>
          <PasskeySignIn onDone={() => void enter()} onProblem={setProblem} />
          <Anchor component={Link} to="/forgot-password" size="sm">
            {t.signIn.forgot}
          </Anchor>
        </Stack>
      </form>
    </Outside>
  )
}

/** On a server where nobody has an account yet: how the first owner gets one. */
function Welcome() {
  const { data } = useRead<Envelope<{ isNew: boolean }>>('/console/welcome')
  if (!data?.data.isNew) return null
  return (
    <Alert title={t.welcome.title} className="state-gray">
      {t.welcome.text}
      <Code block mt="xs">
        {t.welcome.command}
      </Code>
    </Alert>
  )
}

const CodeField = (props: object) => (
  <TextInput
    label={t.code}
    description={t.codeHelp}
    autoComplete="one-time-code"
    autoFocus
    required
    {...props}
  />
)

export function SignUp() {
  const link = useLink()
  const { form, send, isSending, says, needsCode } = useSend('/console/sign-up', {
    name: '',
    email: '',
    password: '',
    code: '',
    businessName: '',
  })
  const navigate = useNavigate()
  const queries = useQueryClient()
  if (link.token && link.isPending) return <LoadingScreen />
  if (!link.data) return <NoLink of={link} />
  const enter = async () => {
    tellOthers('in')
    await queries.invalidateQueries({ queryKey: ME })
    void navigate({ to: '/test/overview' })
  }
  const { email: invited, kind, business, role } = link.data.data
  const isOwner = kind === 'owner'
  return (
    <Outside
      title={isOwner ? t.signUp.ownerTitle : t.signUp.title(business)}
      text={isOwner ? t.signUp.ownerText : t.signUp.text(role)}
    >
      <form
        noValidate
        onSubmit={send(
          { token: link.token, ...(invited && { email: invited }) },
          () => void enter(),
        )}
      >
        <Stack>
          {says}
          {isOwner && (
            <TextInput
              label={t.signUp.businessName}
              description={t.signUp.businessNameHelp}
              placeholder={business}
              autoComplete="organization"
              {...form.getInputProps('businessName')}
            />
          )}
          <TextInput
            label={t.name}
            autoComplete="name"
            required
            autoFocus
            {...form.getInputProps('name')}
          />
          {invited ? (
            <TextInput label={t.email} value={invited} readOnly autoComplete="username" />
          ) : (
            <TextInput
              label={t.email}
              type="email"
              autoComplete="username"
              required
              {...form.getInputProps('email')}
            />
          )}
          <PasswordInput
            label={t.password}
            description={t.passwordHelp}
            autoComplete="new-password"
            required
            {...form.getInputProps('password')}
          />
          {needsCode && <CodeField {...form.getInputProps('code')} />}
          <Button type="submit" loading={isSending}>
            {t.signUp.go}
          </Button>
        </Stack>
      </form>
    </Outside>
  )
}

export function ForgotPassword() {
  const [isSent, setSent] = useState(false)
  const { form, send, isSending, says } = useSend('/console/password/forgot', { email: '' })
  if (isSent)
    return (
      <Outside title={t.forgot.sentTitle} text={t.forgot.sentText}>
        <Button component={Link} to="/sign-in" variant="default" fullWidth>
          {t.back}
        </Button>
      </Outside>
    )
  return (
    <Outside title={t.forgot.title} text={t.forgot.text}>
      <form noValidate onSubmit={send({}, () => setSent(true))}>
        <Stack>
          {says}
          <TextInput
            label={t.email}
            type="email"
            autoComplete="username"
            required
            autoFocus
            {...form.getInputProps('email')}
          />
          <Button type="submit" loading={isSending}>
            {t.forgot.go}
          </Button>
          <Anchor component={Link} to="/sign-in" size="sm">
            {t.back}
          </Anchor>
        </Stack>
      </form>
    </Outside>
  )
}

export function ResetPassword() {
  const link = useLink()
  const { form, send, isSending, says } = useSend('/console/password/reset', { password: '' })
  const navigate = useNavigate()
  if (link.token && link.isPending) return <LoadingScreen />
  if (!link.data) return <NoLink of={link} isReset />
  return (
    <Outside title={t.reset.title} text={t.reset.text}>
      <form
        noValidate
        onSubmit={send({ token: link.token }, () => void navigate({ to: '/sign-in' }))}
      >
        <Stack>
          {says}
          <PasswordInput
            label={t.password}
            description={t.passwordHelp}
            autoComplete="new-password"
            required
            autoFocus
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={isSending}>
            {t.reset.go}
          </Button>
        </Stack>
      </form>
    </Outside>
  )
}
