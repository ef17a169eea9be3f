import { Alert, Button, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type ApiError, call } from '../../api/call.ts'
import { ME, useMe } from '../../api/hooks.ts'
import { LoadingScreen } from '../../parts/states.tsx'
import { t } from '../../texts/account.ts'
import { Outside } from './frame.tsx'
import { NoLink, useLink } from './link.tsx'

/** Uses a mailed link, at the press of a button: mail programs open links by themselves. */
function useMailed(path: string, token: string) {
  const [isDone, setDone] = useState(false)
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<ApiError>()
  const queries = useQueryClient()
  const go = async () => {
    setSending(true)
    setProblem(undefined)
    try {
      await call(path, { method: 'POST', body: { token } })
      await queries.invalidateQueries({ queryKey: ME })
      setDone(true)
    } catch (error) {
      setProblem(error as ApiError)
    } finally {
      setSending(false)
    }
  }
  const says = problem && (
    <Alert color="red" role="alert">
      {problem.message}
    </Alert>
  )
  return { go: () => void go(), isDone, isSending, says }
}

export function ConfirmEmail() {
  const link = useLink()
  const { data: me, isPending } = useMe()
  const { go, isDone, isSending, says } = useMailed('/console/email/confirm', link.token)
  if (isDone)
    return (
      <Outside title={t.confirmEmail.done}>
        <Button component={Link} to="/test/overview" fullWidth>
          {t.confirmEmail.on}
        </Button>
      </Outside>
    )
  if ((link.token && link.isPending) || isPending) return <LoadingScreen />
  if (!link.data) return <NoLink of={link} />
  if (!me)
    return (
      <Outside title={t.confirmEmail.title} text={t.confirmEmail.signIn}>
        <Button
          component={Link}
          to="/sign-in"
          search={{ next: `/confirm-email?token=${link.token}` } as never}
          fullWidth
        >
          {t.signIn.go}
        </Button>
      </Outside>
    )
  return (
    <Outside title={t.confirmEmail.title} text={t.confirmEmail.text(me.person.email)}>
      <Stack>
        {says}
        <Button onClick={go} loading={isSending} fullWidth>
          {t.confirmEmail.go}
        </Button>
      </Stack>
    </Outside>
  )
}

export function RemovePasskeys() {
  const link = useLink()
  const { go, isDone, isSending, says } = useMailed('/console/passkeys/remove-all', link.token)
  if (isDone)
    return (
      <Outside title={t.removePasskeys.done} text={t.removePasskeys.doneText}>
        <Button component={Link} to="/sign-in" fullWidth>
          {t.signIn.title}
        </Button>
      </Outside>
    )
  if (link.token && link.isPending) return <LoadingScreen />
  if (!link.data) return <NoLink of={link} />
  return (
    <Outside title={t.removePasskeys.title} text={t.removePasskeys.text}>
      <Stack>
        {says}
        <Button color="red" onClick={go} loading={isSending} fullWidth>
          {t.removePasskeys.go}
        </Button>
      </Stack>
    </Outside>
  )
}
