import { Center } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { ApiError } from '../api/call.ts'
import { useMode } from '../api/history.ts'
import { ME_QUERY, useMe } from '../api/hooks.ts'
import { useIsPaused } from '../api/paused-requests.ts'
import { businessId, type Me } from '../api/session.ts'
import { Failure, LoadingScreen } from '../ui/feedback.tsx'
import { Shell } from './Shell.tsx'

/**
 * Anyone who isn't signed in is sent to the sign-in page first, and then returns to the requested
 * URL.
 */
export function SignedIn() {
  const { data: me, error, isPending, refetch } = useMe()
  const mode = useMode()
  const hasRightsOfOther = me !== undefined && me.mode !== mode
  useEffect(() => {
    if (hasRightsOfOther) void refetch()
  }, [hasRightsOfOther, refetch])
  const isHeld = useIsPaused()
  if (isPending) return <LoadingScreen />
  if (!isHeld && error instanceof ApiError && error.status === 401) {
    return <ToSignIn />
  }
  if (!me) {
    return (
      <Center mih="90vh" component="main">
        <Failure level={1} error={error} again={() => void refetch()} />
      </Center>
    )
  }
  return (
    <>
      <Inside />
      {isHeld && (
        <Suspense>
          <SignInAgain me={me} />
        </Suspense>
      )}
    </>
  )
}

const SignInAgain = lazy(async () => ({
  default: (await import('./SignInAgain.tsx')).SignInAgain,
}))

const SecondFactor = lazy(async () => ({
  default: (await import('../screens/business/security/SecondFactor.tsx')).SecondFactor,
}))

/**
 * If the business requires two-factor authentication, the user has to set it up before anything
 * else is shown.
 */
function Inside() {
  const { data: me } = useMe()
  const business = me?.businesses.find(isInView)
  const isBarred = Boolean(business?.requiresTwoFactor && !me?.person.secondFactor)
  // Setup ends with recovery codes, so it stays open until the user continues.
  const [heldFor, setHeldFor] = useState<number>()
  useRequirement()
  useEffect(() => {
    if (isBarred) setHeldFor(business?.id)
  }, [isBarred, business?.id])
  if (!business || (!isBarred && heldFor !== business.id)) return <Shell />
  return (
    <Suspense fallback={<LoadingScreen />}>
      <SecondFactor business={business} onDone={() => setHeldFor(undefined)} />
    </Suspense>
  )
}

/** Reloads the user if the business starts to require two-factor authentication. */
function useRequirement(): void {
  const queries = useQueryClient()
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ type, query }) => {
        const { error } = query.state
        const isRefused = error instanceof ApiError && error.code === 'two_factor_required'
        if (type !== 'updated' || !isRefused || queries.isFetching({ queryKey: ME_QUERY }) > 0)
          return
        const business = queries.getQueryData<Me>(ME_QUERY)?.businesses.find(isInView)
        if (!business?.requiresTwoFactor) void queries.invalidateQueries({ queryKey: ME_QUERY })
      }),
    [queries],
  )
}

const isInView = ({ id }: { id: number }) => String(id) === businessId()

/** Redirects only once, although this component stays mounted while the sign-in screen loads. */
function ToSignIn() {
  const router = useRouter()
  const navigate = useNavigate()
  useEffect(() => {
    const next = router.state.location.href
    void navigate({ to: '/sign-in', search: { next }, replace: true })
  }, [router, navigate])
  return <LoadingScreen />
}
