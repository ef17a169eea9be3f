import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { call } from '../api/call.ts'
import { ME } from '../api/hooks.ts'
import { remember } from '../api/session.ts'
import { forgetRecent } from './recent.ts'
import { forgetSearches } from './where.ts'

/** Tells the other windows of this browser who is signed in now. */
const CHANNEL = 'tradepost.session'

/** Ends the session here and in all other windows. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    await call('/console/sign-out', { method: 'POST', body: {} })
    tellOthers()
    forgetRecent()
    forgetSearches()
    remember(undefined)
    queries.clear()
    void navigate({ to: '/sign-in' })
  }
}

/** Says that somebody signed in or out here. */
export function tellOthers(): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage('changed')
  channel.close()
}

/** What was done in another window shows here: who is signed in is asked again. */
export function useOtherWindows(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.addEventListener('message', () => {
      forgetRecent()
      forgetSearches()
      remember(undefined)
      void queries.resetQueries({ queryKey: ME })
    })
    return () => channel.close()
  }, [queries])
}
