import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type ApiError, callOperation } from './call.ts'
import { ME_QUERY } from './hooks.ts'
import { resumeRequests } from './paused-requests.ts'
import { clearUserData, type Me } from './session.ts'

/** The channel on which the windows of this browser report sign-ins and sign-outs. */
const CHANNEL = 'tradepost.session'

/** Signs out in this window and all others. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    try {
      await callOperation('sign_out')
    } catch (error) {
      const { code, message } = error as ApiError
      if (code !== 'session_ended') {
        notifications.show({ title: 'You are still signed in', message, color: 'red' })
        return
      }
    }
    notifyOtherWindows('out')
    clearUserData()
    queries.clear()
    void navigate({ to: '/sign-in' })
  }
}

/** Windows also receive their own messages, and ignore those with this id. */
const SELF = crypto.randomUUID()

interface Told {
  what: 'in' | 'out'
  from: string
}

/** Reports to other windows that someone has signed in or out in this one. */
export function notifyOtherWindows(what: Told['what']): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage({ what, from: SELF } satisfies Told)
  channel.close()
}

/** Reloads the user when another window signs in or out. */
export function useOtherWindows(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    const beginAnew = () => {
      resumeRequests(false)
      clearUserData()
      void queries.resetQueries({ queryKey: ME_QUERY })
    }
    /** The same person can continue with what they typed. For anyone else, the page is reset. */
    const compare = async (before: Me) => {
      await queries.refetchQueries({ queryKey: ME_QUERY })
      if (queries.getQueryData<Me>(ME_QUERY)?.person.id !== before.person.id) return beginAnew()
      resumeRequests(true)
      await queries.invalidateQueries()
    }
    channel.addEventListener('message', ({ data: { what, from } }: MessageEvent<Told>) => {
      const before = queries.getQueryData<Me>(ME_QUERY)
      if (what === 'out' || !before) beginAnew()
      else if (from !== SELF) void compare(before)
    })
    return () => channel.close()
  }, [queries])
}
