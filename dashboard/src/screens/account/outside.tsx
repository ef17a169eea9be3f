import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type ApiError, call } from '../../api/call.ts'
import { type Envelope, ME, useRead } from '../../api/hooks.ts'
import { LoadingScreen } from '../../parts/states.tsx'
import { Mark } from '../../shell/Mark.tsx'
import { tellOthers } from '../../shell/sign-out.ts'
import { t } from '../../texts/account.ts'
import { PasskeySignIn } from './PasskeySignIn.tsx'

/** The frame of what one sees before one is signed in. */
function Outside({
  title,
  text,
  children,
}: {
  title: string
  text?: string | undefined
  children: ReactNode
}) {
  return (
    <main className="outside">
      <div className="outside-brand">
        <Mark size={32} /> Tradepost
      </div>
      <div className="card sheet">
        <div className="weave" aria-hidden />
        <div className="outside-body">
          <Stack gap={4} mb="lg">
            <Title order={1}>{title}</Title>
            {text && (
              <Text size="sm" c="dimmed">
                {text}
              </Text>
            )}
          </Stack>
          {children}
        </div>
      </div>
    </main>
  )
}

interface Fields {
  [name: string]: string
}

/** Sends a form of this frame; what the server says of a field stands at the field. */
function useSend(path: string, initial: Fields) {
  const form = useForm<Fields>({ initialValues: initial })
  const [problem, setProblem] = useState<ApiError>()
  const [isSending, setSending] = useState(false)
  const send = (more: Fields, done: (answer: unknown) => void) =>
    form.onSubmit(async (values) => {
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
          form.setFieldError(field, says)
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
  return { form, send, isSending, says, setProblem, needsCode }
}

export function SignIn() {
  const { form, send, isSending, says, setProblem, needsCode } = useSend('/console/sign-in', {
    email: '',
    password: '',
    code: '',
  })
  const { next } = useSearch({ strict: false }) as { next?: string }
  const navigate = useNavigate()
  const queries = useQueryClient()
  const enter = async () => {
    tellOthers('in')
    await queries.invalidateQueries({ queryKey: ME })
    // Of this site alone: `//` and `/\\` lead elsewhere.
    void navigate({ href: next && /^\/(?![/\\])/.test(next) ? next : '/test/overview' } as never)
  }
  return (
    <Outside title={t.signIn.title}>
      <form onSubmit={send({}, () => void enter())}>
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

/** A link that was mailed or printed, and what the server knows of it. */
function useLink() {
  const { token = '' } = useSearch({ strict: false }) as { token?: string }
  const read = useRead<
    Envelope<{ kind: string; business?: string; email?: string; role?: string }>
  >('/console/link', { token }, token !== '')
  return { token, ...read }
}

function BadLink() {
  return (
    <Outside title={t.badLink.title} text={t.badLink.text}>
      <Button component={Link} to="/sign-in" fullWidth>
        {t.signIn.title}
      </Button>
    </Outside>
  )
}

export function SignUp() {
  const link = useLink()
  const { form, send, isSending, says, needsCode } = useSend('/console/sign-up', {
    name: '',
    email: '',
    password: '',
    code: '',
  })
  const navigate = useNavigate()
  const queries = useQueryClient()
  if (link.token && link.isPending) return <LoadingScreen />
  if (!link.data) return <BadLink />
  const enter = async () => {
    tellOthers('in')
    await queries.invalidateQueries({ queryKey: ME })
    void navigate({ to: '/test/overview' })
  }
  const invited = link.data.data.email
  return (
    <Outside
      title={t.signUp.title(link.data.data.business)}
      text={t.signUp.text(link.data.data.role)}
    >
      <form
        onSubmit={send(
          { token: link.token, ...(invited && { email: invited }) },
          () => void enter(),
        )}
      >
        <Stack>
          {says}
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
      <form onSubmit={send({}, () => setSent(true))}>
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
  if (!link.data) return <BadLink />
  return (
    <Outside title={t.reset.title} text={t.reset.text}>
      <form onSubmit={send({ token: link.token }, () => void navigate({ to: '/sign-in' }))}>
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
