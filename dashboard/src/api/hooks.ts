import { notifications } from '@mantine/notifications'
import { type QueryKey, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import {
  type ApiError,
  addressOf,
  type Call,
  call,
  callOperation,
  currentPlace,
  type Place,
  type Query,
} from './call.ts'
import { useMode } from './history.ts'
import { ADDRESSES } from './operations.ts'
import { changeOptimistically, OPTIMISTIC, type OptimisticChange } from './optimistic.ts'
import {
  type Exactly,
  type Input,
  type InputArgs,
  type OperationName,
  type OperationResponse,
  prefixOf,
  type Request,
  requestOf,
} from './request.ts'
import { businessId, rememberUser } from './session.ts'
import { offerUndo, type Undo } from './undo.tsx'

export type { Envelope, Meta } from './envelope.ts'

/** Reads an operation by name. The cache key consists of the business, the mode and the request. */
export function useOperation<Name extends OperationName>(
  name: Name,
  ...args: [...InputArgs<Name>, options?: Reading]
) {
  const [input = {}, options = {}]: readonly unknown[] = args
  return useRequest<OperationResponse<Name>>(requestOf(name, input as Values), options as Reading)
}

interface Reading {
  enabled?: boolean
  /**
   * Whether to show the previous response until the one for the new parameters arrives, so that a
   * list does not flash while it is filtered. Must not be used for records, where the parameters
   * decide which record it is.
   */
  keepsPrevious?: boolean
}

type Values = Record<string, unknown>

/** A result for one version of a form is rarely needed again. */
const WORKED_OUT_MS = 10_000

/**
 * Sends a GET, or a read-only POST that computes a result from its body, such as a form that is
 * being edited.
 */
function useRequest<T>(
  { path, method, query, body }: Request,
  { enabled = true, keepsPrevious = false }: Reading = {},
) {
  const mode = useMode()
  const place = { business: businessId(), mode }
  const isByBody = method !== 'GET'
  const queryKey = [place.business, mode, path, isByBody ? body : query] as const
  return useQuery<T, Error, T, typeof queryKey>({
    queryKey,
    queryFn: ({ signal }) => call<T>(path, { method, query, body, signal, place }),
    enabled,
    // Never rows from a different list or mode.
    placeholderData: (before, query) =>
      keepsPrevious && query?.queryKey[1] === mode && query.queryKey[2] === path
        ? before
        : undefined,
    ...(isByBody && { gcTime: WORKED_OUT_MS }),
  })
}

/** Like `useOperation`, but takes a path. */
export const useRead = <T>(path: string, query: Query = {}, options: Reading = {}) =>
  useRequest<T>({ path: addressOf(path), method: 'GET', query }, options)

export const ME_QUERY = ['me']

/**
 * Returns the signed-in user. If nobody is signed in, `data` is undefined and the error is a 401.
 */
export function useMe() {
  return useQuery({
    queryKey: ME_QUERY,
    queryFn: async ({ signal }) => {
      const place = currentPlace()
      const { data } = await callOperation('get_me', undefined, { signal, place })
      const me = { ...data, mode: place.mode }
      rememberUser(me)
      return me
    },
    staleTime: 60_000,
    retry: false,
  })
}

export interface Action<in Body, out Answer = unknown> {
  path: (body: Body) => string
  method: 'POST' | 'PUT'
  /**
   * Maps the body to the request body. If the result is an array, its items are sent one after
   * another.
   */
  send: (body: Body) => unknown
  /**
   * The success toast. If the text depends on the previous state, take this from the body, because
   * the state has changed by the time the server responds.
   */
  done?: string | ((body: Body) => string)
  /** Paths to reload afterwards. By default, everything in this business. */
  refresh?: string[]
  /**
   * Returns the version with which the record was read. The server uses it to refuse changes that
   * would overwrite other people's changes.
   */
  ifMatch?: () => string | undefined
  /**
   * A change to show before the server responds, and to revert if the server refuses it. Must not
   * be used where money moves.
   */
  shown?: (body: Body) => OptimisticChange
  /** The operation that undoes the action. The success toast offers it. */
  undo?(body: Body, answer: Answer): Undo | undefined
  /** Handles a failure. Returns true if no toast is needed, because a form shows the error. */
  caught?: (error: ApiError) => boolean
}

interface Acting<Name extends OperationName, Body, Sent>
  extends Omit<Action<Body, OperationResponse<Name>>, 'path' | 'method' | 'send' | 'refresh'> {
  /**
   * Maps the body to the operation's input. If the result is an array, one request is sent after
   * another.
   */
  input?: (body: Body) => Sent & Exactly<Sent, Input<Name>>
  /** Operations to reload afterwards. By default, everything in this business. */
  refresh?: OperationName[]
}

/**
 * Describes an action by operation name: `useAction(act('revoke_key')).mutate({ reference })`, or
 * for a form `act('rotate_key', { input: ({ hours }: Grace) => ({ reference, graceHours: hours })
 * })`.
 */
export function act<Name extends OperationName, Sent extends Input<Name>>(
  name: Name,
  action: Acting<Name, void, Sent> & { input: () => Sent },
): Action<void, OperationResponse<Name>>
export function act<
  Name extends OperationName,
  Body = undefined extends Input<Name> ? void : Input<Name>,
  Sent extends Input<Name> | Input<Name>[] = Input<Name>,
>(name: Name, action?: Acting<Name, Body, Sent>): Action<Body, OperationResponse<Name>>
export function act<
  Name extends OperationName,
  Body = undefined extends Input<Name> ? void : Input<Name>,
  Sent extends Input<Name> | Input<Name>[] = Input<Name>,
>(
  name: Name,
  { input, refresh, ...action }: Acting<Name, Body, Sent> = {},
): Action<Body, OperationResponse<Name>> {
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
 * Runs a user's action, shows its outcome in a toast and reloads what may have changed. The
 * Idempotency-Key stays the same until the action succeeds, so pressing the button twice has the
 * same effect as pressing it once.
 */
export function useAction<T = unknown, Body = void>({
  path,
  method,
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
      const address = path(body)
      const sent = send(body)
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
      const place = currentPlace()
      return shown
        ? { place, back: await changeOptimistically(queries, shown(body), place) }
        : { place }
    },
    onSuccess: async (answer, body, { place }) => {
      intent.current = undefined
      const way = undo?.(body, answer)
      const says = typeof done === 'function' ? done(body) : done
      const { etag } = (answer ?? {}) as { etag?: string }
      if (says && way) offerUndo(says, way, { queries, place, etag })
      else if (says) notifications.show({ message: says, color: 'green' })
      const reread = queries.invalidateQueries({ predicate: isOutdated })
      // The optimistic change is already visible, so the user does not have to wait for this.
      if (!shown) await reread
    },
    onError: (error, _body, context) => {
      context?.back?.()
      if (shown) void queries.invalidateQueries({ predicate: isOutdated })
      if (caught?.(error)) return
      notifications.show({ title: 'Something went wrong', message: error.message, color: 'red' })
    },
  })
}

const namesOf = (form: FormData): string =>
  [...form.values()]
    .map((value) =>
      value instanceof File ? `${value.name} ${value.size} ${value.lastModified}` : value,
    )
    .join('|')
