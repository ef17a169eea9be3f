import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { callOperation } from './call.ts'
import { ME } from './hooks.ts'
import { resumeRequests } from './paused-requests.ts'
import { forgetPerson, type Me } from './session.ts'

/** Tells the other windows of this browser who is signed in now. */
const CHANNEL = 'tradepost.session'

/** Ends the session here and in all other windows. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return async () => {
    await callOperation('sign_out')
    tellOthers('out')
    forgetPerson()
    queries.clear()
    void navigate({ to: '/sign-in' })
  }
}

/** This window hears itself, too. */
const SELF = crypto.randomUUID()

interface Told {
  what: 'in' | 'out'
  from: string
}

/** Says that somebody signed in or out here. */
export function tellOthers(what: Told['what']): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage({ what, from: SELF } satisfies Told)
  channel.close()
}

/** What was done in another window shows here: who is signed in is asked again. */
export function useOtherWindows(): void {
  const queries = useQueryClient()
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    const beginAnew = () => {
      resumeRequests(false)
      forgetPerson()
      void queries.resetQueries({ queryKey: ME })
    }
    /** Whoever was here goes on, with what they typed; for another one all begins anew. */
    const compare = async (before: Me) => {
      await queries.refetchQueries({ queryKey: ME })
      if (queries.getQueryData<Me>(ME)?.person.id !== before.person.id) return beginAnew()
      resumeRequests(true)
      await queries.invalidateQueries()
    }
    channel.addEventListener('message', ({ data: { what, from } }: MessageEvent<Told>) => {
      const before = queries.getQueryData<Me>(ME)
      if (what === 'out' || !before) beginAnew()
      else if (from !== SELF) void compare(before)
    })
    return () => channel.close()
  }, [queries])
}
