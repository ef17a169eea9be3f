import { notifications } from '@mantine/notifications'
import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { offerUndo, type Undo } from '../parts/undo.tsx'
import { useMode } from '../shell/where.ts'
import { t } from '../texts/en.ts'
import { type ApiError, type Call, call, type Place, placeInView, type Query } from './call.ts'
import { businessId, type Me, remember } from './session.ts'
import { SHOWN, type Shown, showAtOnce } from './shown.ts'

/** Envelope A of the contract. */
export interface Envelope<T> {
  status: string
  message: string
  data: T
  meta?: Meta
  /** The version of a record, where it has one. */
  etag?: string
}

/** Lists are cut by pages or by a cursor. */
export interface Meta {
  total?: number
  totalIsExact?: boolean
  page?: number
  pageCount?: number
  limit?: number
  hasNext?: boolean
  hasPrevious?: boolean
  next?: string | null
  previous?: string | null
  hasMore?: boolean
  /** How far back the ledger looked for what is rare, when it has not looked at all. */
  lookedUntil?: string | null
}

/** Reads an operation; the answer is known by business, mode, path and query. */
export function useRead<T>(path: string, query: Query = {}, enabled = true) {
  const mode = useMode()
  const place = { business: businessId(), mode }
  const queryKey = [place.business, mode, path, query] as const
  return useQuery<T, Error, T, typeof queryKey>({
    queryKey,
    queryFn: ({ signal }) => call<T>(path, { query, signal, place }),
    enabled,
    // The rows of the last filter stay until those of the next are there; never another record's.
    placeholderData: ((
      before: T | undefined,
      { queryKey: of }: { queryKey?: readonly unknown[] } = {},
    ) => (of?.[1] === mode && of[2] === path ? before : undefined)) as never,
  })
}

/** Somebody who types asks for another one each moment, and rarely for one of before. */
const WORKED_OUT_MS = 10_000

/** Reads what is worked out from a body; the answer is known by that, and the last one stays. */
export function useReadBy<T>(path: string, body: object, enabled = true) {
  const mode = useMode()
  const place = { business: businessId(), mode }
  return useQuery({
    queryKey: [place.business, mode, path, body],
    queryFn: ({ signal }) => call<T>(path, { method: 'POST', body, signal, place }),
    enabled,
    placeholderData: (before) => before,
    gcTime: WORKED_OUT_MS,
  })
}

export const ME = ['me']

/** Who is signed in; undefined data and an error 401 when nobody is. */
export function useMe() {
  return useQuery({
    queryKey: ME,
    queryFn: async ({ signal }) => {
      const place = placeInView()
      const { data } = await call<Envelope<Omit<Me, 'mode'>>>('/console/me', { signal, place })
      const me = { ...data, mode: place.mode }
      remember(me)
      return me
    },
    staleTime: 60_000,
    retry: false,
  })
}

export interface Action<Body, Answer = unknown> {
  /** `payment-service/invoices/INV_1/void`, or made of the body. */
  path: string | ((body: Body) => string)
  method?: 'POST' | 'PUT'
  /** What is sent, when not the body as it is; several are sent one after the other. */
  send?: (body: Body) => unknown
  /**
   * What the toast says when it is done. What depends on the state before is made of the body:
   * that state is not in view any more when the server answers.
   */
  done?: string | ((body: Body) => string)
  /** Paths whose answers are out of date then; everything of this business unless given. */
  refresh?: string[]
  /** Of what it changes, the version that was read: somebody else's change is not overwritten. */
  ifMatch?: () => string | undefined
  /** What is shown before the server answers, and taken back if it refuses. Never where money moves. */
  shown?: (body: Body) => Shown
  /** The operation that takes it back; it is offered with what `done` says. */
  undo?: (body: Body, answer: Answer) => Undo | undefined
  /** Answers whether a failure was dealt with, so that no toast tells of it. */
  caught?: (error: ApiError) => boolean
}

/**
 * Something a person does. Says by a toast what happened, and reads again what changed. One intent
 * keeps its Idempotency-Key until it succeeded, so that pressing twice does it once.
 */
export function useAction<T = unknown, Body = void>({
  path,
  method = 'POST',
  send,
  done,
  refresh,
  ifMatch,
  shown,
  undo,
  caught,
}: Action<Body, T>) {
  const queries = useQueryClient()
  const intent = useRef<{ of: string; key: string } | undefined>(undefined)
  const isOutdated = ({ queryKey }: { queryKey: QueryKey }) =>
    !refresh || refresh.some((one) => String(queryKey[2] ?? '').startsWith(one))
  return useMutation<T, ApiError, Body, { place: Place; back?: () => void }>({
    ...(shown && { mutationKey: SHOWN }),
    mutationFn: async (body) => {
      const address = typeof path === 'function' ? path(body) : path
      const sent = send ? send(body) : (body ?? {})
      const of = address + (sent instanceof FormData ? namesOf(sent) : JSON.stringify(sent))
      if (intent.current?.of !== of) intent.current = { of, key: crypto.randomUUID() }
      const { key } = intent.current
      const [first, ...others] = Array.isArray(sent) ? sent : [sent]
      const put = (one: unknown, idempotencyKey: string) =>
        call<T>(address, { method, body: one, idempotencyKey, ifMatch: ifMatch?.() } as Call)
      let answer = await put(first, key)
      for (const [i, one] of others.entries()) answer = await put(one, `${key}-${i + 1}`)
      return answer
    },
    onMutate: async (body) => {
      const place = placeInView()
      return shown ? { place, back: await showAtOnce(queries, shown(body), place) } : { place }
    },
    onSuccess: async (answer, body, { place }) => {
      intent.current = undefined
      const way = undo?.(body, answer)
      const says = typeof done === 'function' ? done(body) : done
      const { etag } = (answer ?? {}) as { etag?: string }
      if (says && way) offerUndo(says, way, { queries, place, etag })
      else if (says) notifications.show({ message: says, color: 'green' })
      const reread = queries.invalidateQueries({ predicate: isOutdated })
      // What is shown already needs no waiting for it.
      if (!shown) await reread
    },
    onError: (error, _body, context) => {
      context?.back?.()
      if (shown) void queries.invalidateQueries({ predicate: isOutdated })
      // Forms show what is wrong with their fields themselves.
      if (caught?.(error) || Object.keys(error.fields).length > 0) return
      notifications.show({ title: t.error.failed, message: error.message, color: 'red' })
    },
  })
}

/** Tells one upload from another. */
const namesOf = (form: FormData): string =>
  [...form.values()]
    .map((value) =>
      value instanceof File ? `${value.name} ${value.size} ${value.lastModified}` : value,
    )
    .join('|')
