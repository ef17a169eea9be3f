import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type ApiError, addressOf } from '../api/call.ts'
import { useMode } from '../api/history.ts'
import { ME_QUERY } from '../api/hooks.ts'
import { OPTIMISTIC } from '../api/optimistic.ts'
import { at } from '../api/request.ts'
import { businessId } from '../api/session.ts'

/** The minimum time between reloads that events trigger. */
const EVERY_MS = 1_500

/**
 * Streams end from time to time and reconnect at once. Only a longer gap counts as a lost
 * connection.
 */
const LOST_MS = 6_000

/**
 * How long to wait after the server has refused the stream, because browsers then don't reconnect.
 */
const AGAIN_MS = 20_000

/**
 * Listens to the business's events and reloads what is visible. `isLost` means that the connection
 * is lost, and the data may be outdated.
 */
export function useLiveData(): { isLost: boolean } {
  const queries = useQueryClient()
  const mode = useMode()
  const business = businessId()
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    if (!business) return undefined
    const reread = throttled(() => {
      // During an optimistic change, a read would return the previous state.
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
      // Reloads the user, because the session may have ended. If it has not, too many streams are
      // open. In that case, the data is reloaded at intervals.
      refused: () => {
        void queries.refetchQueries({ queryKey: ME_QUERY }).then(() => {
          const error = queries.getQueryState<unknown, ApiError>(ME_QUERY)?.error
          setLost(error ? error.status === 0 || error.status >= 500 : false)
        })
        reread.soon()
      },
    })
    // Catches up after the computer was asleep or the network was unavailable.
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
  /** Called after a long silence on the stream. */
  lost(): void
  heard(wasLost: boolean): void
  /** Called if the server's response is not a stream. */
  refused(): void
}

/** Keeps a stream open, reconnecting if necessary. Returns a function that stops it. */
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
        // The server is reachable but refuses the stream.
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
