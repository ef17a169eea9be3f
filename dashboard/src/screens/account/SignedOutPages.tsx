import {
  Alert,
  Anchor,
  Button,
  Code,
  PasswordInput,
  type PasswordInputProps,
  Stack,
  Text,
  TextInput,
  type TextInputProps,
  Title,
} from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ApiError, call, callOperation } from '../../api/call.ts'
import { ME_QUERY, useMe, useOperation } from '../../api/hooks.ts'
import { at, type OperationName } from '../../api/request.ts'
import { notifyOtherWindows } from '../../api/sign-out.ts'
import { ActionButton } from '../../ui/buttons.tsx'
import { LoadingScreen } from '../../ui/feedback.tsx'
import { Logo } from '../../ui/Logo.tsx'
import { PasskeySignIn } from '../../ui/PasskeySignIn.tsx'
import { useForm } from '../../ui/use-form.ts'

interface Fields {
  [name: string]: string
}

/** The messages for required fields that are empty. */
const NEEDED: Fields = {
  email: 'Enter your email address.',
  password: 'Enter a password.',
  name: 'Enter your name.',
  code: 'Enter the code.',
}

/** Submits a form, and shows the server's errors next to their fields. */
function useSend(operation: OperationName, initial: Fields) {
  const form = useForm<Fields>({ initialValues: initial })
  const [problem, setProblem] = useState<ApiError>()
  const [shown, setShown] = useState<ApiError>()
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
        done(await call(at(operation).path, { method: 'POST', body: given }))
      } catch (error) {
        const refused = error as ApiError
        if (form.showErrors({ fields: refused.fields ?? {} })) setShown(refused)
        setProblem(refused)
      } finally {
        setSending(false)
      }
    })
  // If the account needs a code, that is not an error: the form shows the code field.
  const isWrong = problem && problem.code !== 'code_needed'
  const says = isWrong && problem !== shown && (
    <Alert color="red" role="alert">
      {problem.message}
    </Alert>
  )
  const needsCode = problem?.code === 'code_needed' || problem?.code === 'code_wrong'
  const isNeeded = (field: string) => field in NEEDED && (field !== 'code' || needsCode)
  return { form, send, isSending, says, setProblem, needsCode }
}

/**
 * Accepts only paths on this site other than the sign-in page. `//` and `/\\` lead to other sites.
 */
const LEADS_ON = /^\/(?![/\\]|sign-in\b)/

export function SignIn() {
  const { form, send, isSending, says, setProblem, needsCode } = useSend('sign_in', {
    email: '',
    password: '',
    code: '',
  })
  const { next } = useSearch({ from: '/sign-in' })
  const { data: me, error } = useMe()
  const queries = useQueryClient()
  const enter = async () => {
    notifyOtherWindows('in')
    await queries.invalidateQueries({ queryKey: ME_QUERY })
  }
  // If the user is already signed in, continues to the requested screen.
  if (me && !error) {
    const on = new URL(next && LEADS_ON.test(next) ? next : '/test/overview', location.origin)
    const search = Object.fromEntries(on.searchParams)
    return <Navigate to={on.pathname} search={search} replace />
  }
  return (
    <Outside title="Sign in">
      <form noValidate onSubmit={send({}, () => void enter())}>
        <Stack>
          {says}
          <Welcome />
          <EmailField autoFocus {...form.field('email')} />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            {...form.field('password')}
          />
          {needsCode && <CodeField {...form.field('code')} />}
          <ActionButton label="Sign in" isMain type="submit" loading={isSending} />
          <PasskeySignIn onDone={() => void enter()} onProblem={setProblem} />
          <Anchor component={Link} to="/forgot-password" size="sm">
            Forgot your password?
          </Anchor>
        </Stack>
      </form>
    </Outside>
  )
}

/** On a new server, explains how the operator creates the first account. */
function Welcome() {
  const { data } = useOperation('get_welcome')
  if (!data?.data.isNew) return null
  return (
    <Alert title="This server has no accounts yet" className="state-gray">
      Open the link that the server printed when it started. To get a new link, run this on the
      server:
      <Code block mt="xs">
        tradepost business owner-link
      </Code>
    </Alert>
  )
}

const EmailField = (props: TextInputProps) => (
  <TextInput label="Email address" type="email" autoComplete="username" required {...props} />
)

const NewPasswordField = (props: PasswordInputProps) => (
  <PasswordInput
    label="Password"
    description="Use at least 12 characters. A few random words work best."
    autoComplete="new-password"
    required
    {...props}
  />
)

const CodeField = (props: object) => (
  <TextInput
    label="Code from your authenticator app"
    description="You can also enter a recovery code."
    autoComplete="one-time-code"
    autoFocus
    required
    {...props}
  />
)

export function SignUp() {
  const link = useLink()
  const { form, send, isSending, says, needsCode } = useSend('sign_up', {
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
    notifyOtherWindows('in')
    await queries.invalidateQueries({ queryKey: ME_QUERY })
    void navigate({ to: '/$mode/overview', params: { mode: 'test' } })
  }
  const { email: invited, kind, business, role } = link.data.data
  const isOwner = kind === 'owner'
  return (
    <Outside
      title={
        isOwner ? 'Create your account' : business ? `Join ${business}` : 'Create your account'
      }
      text={
        isOwner
          ? 'You will be the owner. You can invite teammates and decide what each of them can do.'
          : `You have been invited to join as ${role}.`
      }
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
              label="Business name"
              description="Customers see this name. You can change it later in the settings."
              placeholder={business ?? undefined}
              autoComplete="organization"
              {...form.field('businessName')}
            />
          )}
          <TextInput
            label="Your name"
            autoComplete="name"
            required
            autoFocus
            {...form.field('name')}
          />
          {invited ? (
            <TextInput label="Email address" value={invited} readOnly autoComplete="username" />
          ) : (
            <EmailField {...form.field('email')} />
          )}
          <NewPasswordField {...form.field('password')} />
          {needsCode && <CodeField {...form.field('code')} />}
          <ActionButton label="Create account" isMain type="submit" loading={isSending} />
        </Stack>
      </form>
    </Outside>
  )
}

export function ForgotPassword() {
  const [isSent, setSent] = useState(false)
  const { form, send, isSending, says } = useSend('send_password_link', { email: '' })
  if (isSent)
    return (
      <Outside
        title="Check your email"
        text="If an account with this email address exists, we’ve emailed you a link. The link works for 30 minutes."
      >
        <Button component={Link} to="/sign-in" variant="default" fullWidth>
          Back to sign in
        </Button>
      </Outside>
    )
  return (
    <Outside title="Forgot your password?" text="We’ll email you a link to set a new one.">
      <form noValidate onSubmit={send({}, () => setSent(true))}>
        <Stack>
          {says}
          <EmailField autoFocus {...form.field('email')} />
          <ActionButton label="Send link" isMain type="submit" loading={isSending} />
          <Anchor component={Link} to="/sign-in" size="sm">
            Back to sign in
          </Anchor>
        </Stack>
      </form>
    </Outside>
  )
}

export function ResetPassword() {
  const link = useLink()
  const { form, send, isSending, says } = useSend('reset_password', { password: '' })
  const navigate = useNavigate()
  if (link.token && link.isPending) return <LoadingScreen />
  if (!link.data) return <NoLink of={link} isReset />
  return (
    <Outside title="Set a new password" text="You will be signed out everywhere else.">
      <form
        noValidate
        onSubmit={send({ token: link.token }, () => void navigate({ to: '/sign-in' }))}
      >
        <Stack>
          {says}
          <NewPasswordField autoFocus {...form.field('password')} />
          <ActionButton label="Set password" isMain type="submit" loading={isSending} />
        </Stack>
      </form>
    </Outside>
  )
}

/**
 * Returns the token in the URL, and what the server reports about its link. Such links come from an
 * email or from the command line.
 */
function useLink() {
  const { token = '' } = useSearch({ from: '__root__' })
  const read = useOperation('get_link', { token }, { enabled: token !== '' })
  return { token, ...read }
}

/**
 * Replaces the form if its link is invalid. Users can request another password reset themselves,
 * but all other links must come from someone else. If the server did not respond, the link may
 * still be valid.
 */
function NoLink({
  of: { error, refetch },
  isReset = false,
}: {
  of: ReturnType<typeof useLink>
  isReset?: boolean
}) {
  const isUnknown = error instanceof ApiError && (error.status === 0 || error.status >= 429)
  if (isUnknown) {
    return (
      <Outside title="This could not be loaded" text={error.message}>
        <ActionButton label="Try again" isMain onClick={() => void refetch()} fullWidth />
      </Outside>
    )
  }

  return (
    <Outside
      title="This link no longer works"
      text={
        isReset
          ? 'The link has expired or has already been used. We can send you a new one.'
          : 'The link has expired or has already been used. Ask the person who sent it for a new one.'
      }
    >
      <Button component={Link} to={isReset ? '/forgot-password' : '/sign-in'} fullWidth>
        {isReset ? 'Send me a new link' : 'Sign in'}
      </Button>
    </Outside>
  )
}

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
        <Logo size={32} /> Tradepost
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

/**
 * Uses a link from an email only when the user presses the button, because email clients open links
 * by themselves.
 */
function useMailed(operation: 'confirm_email' | 'remove_all_passkeys', token: string) {
  const queries = useQueryClient()
  const { mutate, error, isSuccess, isPending } = useMutation({
    mutationFn: async () => {
      await callOperation(operation, { token })
      await queries.invalidateQueries({ queryKey: ME_QUERY })
    },
  })
  const says = error && (
    <Alert color="red" role="alert">
      {error.message}
    </Alert>
  )
  return { go: () => mutate(), isDone: isSuccess, isSending: isPending, says }
}

export function ConfirmEmail() {
  const link = useLink()
  const { data: me, isPending } = useMe()
  const { go, isDone, isSending, says } = useMailed('confirm_email', link.token)
  const next = `/confirm-email?token=${link.token}`
  const linked = (root: object) => <Link {...root} to="/sign-in" search={{ next }} />
  if (isDone)
    return (
      <Outside title="Your email address is confirmed">
        <ActionButton label="Continue" isMain to="overview" fullWidth />
      </Outside>
    )
  if ((link.token && link.isPending) || isPending) return <LoadingScreen />
  if (!link.data) return <NoLink of={link} />
  if (!me)
    return (
      <Outside
        title="Confirm your email address"
        text="Sign in with your password to confirm your email address."
      >
        <Button fullWidth renderRoot={linked}>
          Sign in
        </Button>
      </Outside>
    )
  return (
    <Outside
      title="Confirm your email address"
      text={`Confirm that ${me.person.email} is your email address.`}
    >
      <Stack>
        {says}
        <ActionButton
          label="Confirm email address"
          isMain
          onClick={go}
          loading={isSending}
          fullWidth
        />
      </Stack>
    </Outside>
  )
}

export function RemovePasskeys() {
  const link = useLink()
  const { go, isDone, isSending, says } = useMailed('remove_all_passkeys', link.token)
  if (isDone)
    return (
      <Outside title="Passkeys removed" text="Sign in with your password.">
        <Button component={Link} to="/sign-in" fullWidth>
          Sign in
        </Button>
      </Outside>
    )
  if (link.token && link.isPending) return <LoadingScreen />
  if (!link.data) return <NoLink of={link} />
  return (
    <Outside
      title="Remove all passkeys"
      text="Your passkeys will stop working, and you will be signed out everywhere. Your password and authenticator app will still work."
    >
      <Stack>
        {says}
        <ActionButton
          label="Remove all passkeys"
          isMain
          color="red"
          onClick={go}
          loading={isSending}
          fullWidth
        />
      </Stack>
    </Outside>
  )
}
