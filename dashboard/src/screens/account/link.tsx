import { Button } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { ApiError } from '../../api/call.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { t } from '../../texts/account.ts'
import { Outside } from './frame.tsx'

interface Known {
  kind: string
  business?: string
  email?: string
  role?: string
}

/** A link that was mailed or printed, and what the server knows of it. */
export function useLink() {
  const { token = '' } = useSearch({ strict: false }) as { token?: string }
  const read = useRead<Envelope<Known>>('/console/link', { token }, token !== '')
  return { token, ...read }
}

/**
 * In the place of the form that a link leads to. A forgotten password can be said again by anybody;
 * of other links somebody else has to know. Where the server did not answer, the link may be good.
 */
export function NoLink({
  of: { error, refetch },
  isReset = false,
}: {
  of: ReturnType<typeof useLink>
  isReset?: boolean
}) {
  const isUnknown = error instanceof ApiError && (error.status === 0 || error.status >= 429)
  if (isUnknown) {
    return (
      <Outside title={t.link.title} text={error.message}>
        <Button onClick={() => void refetch()} fullWidth>
          {t.link.again}
        </Button>
      </Outside>
    )
  }
  const { title, text, resetText, again } = t.badLink
  return (
    <Outside title={title} text={isReset ? resetText : text}>
      <Button component={Link} to={isReset ? '/forgot-password' : '/sign-in'} fullWidth>
        {isReset ? again : t.signIn.title}
      </Button>
    </Outside>
  )
}
