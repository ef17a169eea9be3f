import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type ApiError, call, placeInView } from '../api/call.ts'
import { t } from '../texts/en.ts'

/**
 * Where what is missing here is: the same record is looked for in the other mode, and its mode is
 * said and led to.
 */
export function useElsewhere(error: ApiError | undefined) {
  const { business, mode } = placeInView()
  const other = mode === 'test' ? 'live' : 'test'
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { path: asked = '', query = {} } = error?.asked ?? {}
  const { data: isThere } = useQuery({
    queryKey: [business, other, 'elsewhere', asked, query],
    queryFn: async ({ signal }) => {
      await call(asked, { query, signal, place: { business, mode: other } })
      return true
    },
    enabled: error?.status === 404 && asked !== '',
    retry: false,
  })
  if (!isThere) return undefined
  const name = t.shell[other].toLowerCase()
  return {
    title: t.error.otherMode(name),
    text: t.error.otherModeText(name),
    action: (
      <Button onClick={() => void navigate({ to: path.replace(/^\/\w+/, `/${other}`) })}>
        {t.error.switchTo(name)}
      </Button>
    ),
  }
}
