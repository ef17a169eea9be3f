import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { useMode } from '../shell/where.ts'
import { type ApiError, type Call, call, type Query } from './call.ts'
import { businessId, type Me, remember } from './session.ts'

/** Envelope A of the contract. */
export interface Envelope<T> {
  status: string
  message: string
  data: T
  meta?: Meta
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
}

/** Reads an operation; the answer is known by business, mode, path and query. */
export function useRead<T>(path: string, query: Query = {}, enabled = true) {
  const mode = useMode()
  const queryKey = [businessId(), mode, path, query] as const
  return useQuery<T, Error, T, typeof queryKey>({
    queryKey,
    queryFn: ({ signal }) => call<T>(path, { query, signal }),
    enabled,
    // The rows of the last filter stay until those of the next are there; never another record's.
    placeholderData: ((
      before: T | undefined,
      { queryKey: of }: { queryKey?: readonly unknown[] } = {},
    ) => (of?.[1] === mode && of[2] === path ? before : undefined)) as never,
  })
}

export const ME = ['me']

/** Who is signed in; undefined data and an error 401 when nobody is. */
export function useMe() {
  return useQuery({
    queryKey: ME,
    queryFn: async ({ signal }) => {
      const { data } = await call<Envelope<Me>>('/console/me', { signal })
      remember(data)
      return data
    },
    staleTime: 60_000,
    retry: false,
  })
}

export interface Action<Body> {
  /** `payment-service/invoices/INV_1/void`, or made of the body. */
  path: string | ((body: Body) => string)
  method?: 'POST' | 'PUT'
  /** What is sent, when not the body as it is. */
  send?: (body: Body) => unknown
  /** What the toast says when it is done. */
  done?: string
  /** Paths whose answers are out of date then; everything of this business unless given. */
  refresh?: string[]
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
}: Action<Body>) {
  const queries = useQueryClient()
  const intent = useRef<{ of: string; key: string } | undefined>(undefined)
  return useMutation<T, ApiError, Body>({
    mutationFn: (body) => {
      const address = typeof path === 'function' ? path(body) : path
      const sent = send ? send(body) : (body ?? {})
      const of = address + (sent instanceof FormData ? namesOf(sent) : JSON.stringify(sent))
      if (intent.current?.of !== of) intent.current = { of, key: crypto.randomUUID() }
      const options: Call = { method, body: sent, idempotencyKey: intent.current.key }
      return call<T>(address, options)
    },
    onSuccess: async () => {
      intent.current = undefined
      if (done) notifications.show({ message: done, color: 'green' })
      await queries.invalidateQueries({
        predicate: ({ queryKey }) =>
          !refresh || refresh.some((one) => String(queryKey[2] ?? '').startsWith(one)),
      })
    },
    onError: (error) => {
      // Forms show what is wrong with their fields themselves.
      if (Object.keys(error.fields).length > 0) return
      notifications.show({ title: 'That did not work', message: error.message, color: 'red' })
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
