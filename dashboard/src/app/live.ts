import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type ApiError, addressOf } from '../api/call.ts'
import { useMode } from '../api/history.ts'
import { ME } from '../api/hooks.ts'
import { OPTIMISTIC } from '../api/optimistic.ts'
import { at } from '../api/request.ts'
import { businessId } from '../api/session.ts'

/** Lists and figures are read again when something happened, at most so often. */
const EVERY_MS = 1_500

/** Streams end from time to time, and the next one follows at once: only longer is a loss. */
const LOST_MS = 6_000

/** After a refusal, which browsers take for the end. */
const AGAIN_MS = 20_000

/**
 * Follows what happens in the business: the server tells by events, and what is in view is read
 * again. Answers whether the server cannot be heard, so that what is in view may be old.
 */
export function useLiveData(): { isLost: boolean } {
  const queries = useQueryClient()
  const mode = useMode()
  const business = businessId()
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    if (!business) return undefined
    const reread = throttled(() => {
      // What is shown at once would be what it was before, until the server has done it.
      if (queries.isMutating({ mutationKey: OPTIMISTIC }) > 0) return reread.soon()
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] === business,
        refetchType: 'active',
      })
    })
    const stop = listen(addressOf(at('follow_changes').path, { business, mode }), {
      changed: reread.soon,
      lost: () => setLost(true),
      heard: (wasLost) => {
        setLost(false)
        if (wasLost) reread.soon()
      },
      // Perhaps the session is over: who is signed in is asked, which says so. If it is not, too
      // many streams are open, and what is in view is read every so often instead.
      refused: () => {
        void queries.refetchQueries({ queryKey: ME }).then(() => {
          const error = queries.getQueryState<unknown, ApiError>(ME)?.error
          setLost(error ? error.status === 0 || error.status >= 500 : false)
        })
        reread.soon()
      },
    })
    // What was missed on the way: a computer that slept, a network that was away.
    const onOnline = () => reread.soon()
    window.addEventListener('online', onOnline)
    return () => {
      stop()
      window.removeEventListener('online', onOnline)
      reread.never()
      setLost(false)
    }
  }, [queries, mode, business])
  return { isLost }
}

interface Listener {
  changed(): void
  /** Nothing could be heard for a while. */
  lost(): void
  heard(wasLost: boolean): void
  /** The server answered, but not with a stream. */
  refused(): void
}

/** Keeps one stream open, whatever happens to it; answers how to stop. */
function listen(address: string, { changed, lost, heard, refused }: Listener): () => void {
  let source: EventSource
  let silence: ReturnType<typeof setTimeout> | undefined
  let again: ReturnType<typeof setTimeout> | undefined
  let wasLost = false
  const open = () => {
    source = new EventSource(address)
    source.addEventListener('open', () => {
      clearTimeout(silence)
      silence = undefined
      heard(wasLost)
      wasLost = false
    })
    source.addEventListener('changed', changed)
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) {
        // It answered: it can be reached, only not listened to.
        clearTimeout(silence)
        silence = undefined
        refused()
        clearTimeout(again)
        again = setTimeout(open, AGAIN_MS)
        return
      }
      silence ??= setTimeout(() => {
        wasLost = true
        lost()
      }, LOST_MS)
    })
  }
  open()
  return () => {
    clearTimeout(silence)
    clearTimeout(again)
    source.close()
  }
}

function throttled(work: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    soon: () => {
      timer ??= setTimeout(() => {
        timer = undefined
        work()
      }, EVERY_MS)
    },
    never: () => clearTimeout(timer),
  }
}
