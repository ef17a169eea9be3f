import { Navigate, useRouterState } from '@tanstack/react-router'
import { ApiError } from '../api/call.ts'
import { useMe } from '../api/hooks.ts'
import { Failure, LoadingScreen } from '../parts/states.tsx'
import { Shell } from './Shell.tsx'

/** The shell for whoever is signed in; others are asked to, and come back to where they wanted. */
export function SignedIn() {
  const { data: me, error, isPending, refetch } = useMe()
  const path = useRouterState({ select: ({ location }) => location.href })
  if (isPending) return <LoadingScreen />
  if (error instanceof ApiError && error.status === 401) {
    return <Navigate to="/sign-in" search={{ next: path } as never} />
  }
  if (!me) return <Failure error={error} again={() => void refetch()} />
  return <Shell />
}
