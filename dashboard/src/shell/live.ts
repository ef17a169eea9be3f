import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { addressOf } from '../api/call.ts'
import { ME } from '../api/hooks.ts'
import { businessId } from '../api/session.ts'
import { useMode } from './where.ts'

/** Lists and figures are read again when something happened, at most so often. */
const EVERY_MS = 1_500

/** Streams end from time to time, and the next one follows at once: only longer is a loss. */
const LOST_MS = 6_000

/** After a refusal, which browsers take for the end. */
const AGAIN_MS = 30_000

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
    const reread = throttled(
      () =>
        void queries.invalidateQueries({
          predicate: ({ queryKey }) => queryKey[0] === business,
          refetchType: 'active',
        }),
    )
    const stop = listen(addressOf('/console/live', { business, mode }), {
      changed: reread.soon,
      lost: () => setLost(true),
      heard: (wasLost) => {
        setLost(false)
        if (wasLost) reread.soon()
      },
      // Perhaps the session is over: who is signed in is asked, which says so.
      refused: () => void queries.invalidateQueries({ queryKey: ME }),
    })
    return () => {
      stop()
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
        refused()
        clearTimeout(again)
        again = setTimeout(open, AGAIN_MS)
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
