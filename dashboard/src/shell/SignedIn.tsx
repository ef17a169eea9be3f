import { useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError } from '../api/call.ts'
import { useMe } from '../api/hooks.ts'
import { Failure, LoadingScreen } from '../parts/states.tsx'
import { Shell } from './Shell.tsx'
import { useMode } from './where.ts'

/** The shell for whoever is signed in; others are asked to, and come back to where they wanted. */
export function SignedIn() {
  const { data: me, error, isPending, refetch } = useMe()
  const mode = useMode()
  const hasRightsOfOther = me !== undefined && me.mode !== mode
  useEffect(() => {
    if (hasRightsOfOther) void refetch()
  }, [hasRightsOfOther, refetch])
  if (isPending) return <LoadingScreen />
  if (error instanceof ApiError && error.status === 401) {
    return <ToSignIn />
  }
  if (!me) return <Failure error={error} again={() => void refetch()} />
  return <Shell />
}

/** Leads there once: this is still in view while the screen there is loaded, at its address. */
function ToSignIn() {
  const router = useRouter()
  const navigate = useNavigate()
  useEffect(() => {
    const next = router.state.location.href
    void navigate({ to: '/sign-in', search: { next } as never, replace: true })
  }, [router, navigate])
  return <LoadingScreen />
}
