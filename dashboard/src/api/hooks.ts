import { notifications } from '@mantine/notifications'
import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import {
  type ApiError,
  addressOf,
  type Call,
  call,
  callOperation,
  type Place,
  placeInView,
  type Query,
} from './call.ts'
import { useMode } from './history.ts'
import { ADDRESSES } from './operations.ts'
import { changeNow, OPTIMISTIC, type OptimisticChange } from './optimistic.ts'
import {
  type Answer,
  type Input,
  type InputArgs,
  type OperationName,
  prefixOf,
  type Request,
  requestOf,
} from './request.ts'
import { businessId, remember } from './session.ts'
import { offerUndo, type Undo } from './undo.tsx'

export type { Envelope, Meta } from './envelope.ts'

/** Reads an operation by its name; the answer is known by business, mode and what was asked for. */
export function useOperation<Name extends OperationName>(
  name: Name,
  ...args: [...InputArgs<Name>, options?: Reading]
) {
  const [input = {}, options = {}]: readonly unknown[] = args
  const { enabled } = options as Reading
  return useRequest<Answer<Name>>(requestOf(name, input as Values), enabled)
}

interface Reading {
  /** Nothing is read as long as it is false. */
  enabled?: boolean
}

type Values = Record<string, unknown>

/** Somebody who types asks for another one each moment, and rarely for one of before. */
const WORKED_OUT_MS = 10_000

/** A POST that is read is worked out from its body, such as a form that somebody types in. */
function useRequest<T>({ path, method, query, body }: Request, enabled = true) {
  const mode = useMode()
  const place = { business: businessId(), mode }
  const isByBody = method !== 'GET'
  const queryKey = [place.business, mode, path, isByBody ? body : query] as const
  return useQuery<T, Error, T, typeof queryKey>({
    queryKey,
    queryFn: ({ signal }) => call<T>(path, { method, query, body, signal, place }),
    enabled,
    // The rows of the last filter stay until those of the next are there; never another record's.
    placeholderData: (before, query) =>
      query?.queryKey[1] === mode && query.queryKey[2] === path ? before : undefined,
    ...(isByBody && { gcTime: WORKED_OUT_MS }),
  })
}

/** As `useOperation`, by a path. */
export const useRead = <T>(path: string, query: Query = {}, enabled = true) =>
  useRequest<T>({ path: addressOf(path), method: 'GET', query }, enabled)

export const ME = ['me']

/** Who is signed in; undefined data and an error 401 when nobody is. */
export function useMe() {
  return useQuery({
    queryKey: ME,
    queryFn: async ({ signal }) => {
      const place = placeInView()
      const { data } = await callOperation('get_me', undefined, { signal, place })
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
  shown?: (body: Body) => OptimisticChange
  /** The operation that takes it back; it is offered with what `done` says. */
  undo?: (body: Body, answer: Answer) => Undo | undefined
  /** Answers whether a failure was dealt with, so that no toast tells of it. */
  caught?: (error: ApiError) => boolean
}

interface Acting<Name extends OperationName, Body>
  extends Omit<Action<Body, Answer<Name>>, 'path' | 'method' | 'send' | 'refresh'> {
  /** What goes in, when not the body as it is; several are sent one after the other. */
  input?: (body: Body) => Input<Name> | Input<Name>[]
  /** Operations whose answers are out of date then; everything of this business unless given. */
  refresh?: OperationName[]
}

/**
 * An action by the name of its operation. `useAction(act('revoke_key')).mutate({ reference })`, or
 * for a form `act('rotate_key', { input: ({ hours }: Grace) => ({ reference, graceHours: hours }) })`.
 */
export function act<Name extends OperationName>(
  name: Name,
  action: Acting<Name, void> & { input: () => Input<Name> },
): Action<void, Answer<Name>>
export function act<
  Name extends OperationName,
  Body = undefined extends Input<Name> ? void : Input<Name>,
>(name: Name, action?: Acting<Name, Body>): Action<Body, Answer<Name>>
export function act<
  Name extends OperationName,
  Body = undefined extends Input<Name> ? void : Input<Name>,
>(name: Name, { input, refresh, ...action }: Acting<Name, Body> = {}): Action<Body, Answer<Name>> {
  const inputsOf = (body: Body) => [input ? input(body) : body].flat() as (Values | undefined)[]
  const requestsOf = (body: Body) => inputsOf(body).map((one) => requestOf(name, one ?? {}))
  const [method] = ADDRESSES[name].split(' ')
  return {
    ...action,
    path: (body) => {
      const [{ path, query }] = requestsOf(body) as [Request]
      return addressOf(path, query)
    },
    method: method as 'POST' | 'PUT',
    send: (body) => {
      const bodies = requestsOf(body).map((one) => one.body)
      return bodies.length === 1 ? bodies[0] : bodies
    },
    ...(refresh && { refresh: refresh.map(prefixOf) }),
  }
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
    !refresh || refresh.some((one) => String(queryKey[2] ?? '').startsWith(addressOf(one)))
  return useMutation<T, ApiError, Body, { place: Place; back?: () => void }>({
    ...(shown && { mutationKey: OPTIMISTIC }),
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
      return shown ? { place, back: await changeNow(queries, shown(body), place) } : { place }
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
      notifications.show({ title: 'Something went wrong', message: error.message, color: 'red' })
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
