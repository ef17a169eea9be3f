import type { startServer } from '../../../test/harness.ts'
import { addPasskey } from '../people/passkey.fixture.ts'
import { memberOf } from '../people/people.fixture.ts'
import { createPartner } from './service.ts'

type Server = Awaited<ReturnType<typeof startServer>>

export const TOKEN = '/api/auth-service/external/v1/token'
export const PARTNERS = '/api/user-service/external/v1/partners'
export const PROFILE = '/api/user-service/external/v1/profile'
export const INVOICES = '/api/payment-service/external/v1/invoices'
export const INVOICE = { customerEmail: 'ada@example.com', amount: 1500.5 }

export function partnersOf(server: Server) {
  const { db, ids, clock, as, url } = server
  async function newPartner({
    live = false,
    scopes = null,
  }: {
    live?: boolean
    scopes?: string[] | null
  } = {}) {
    const request = { name: 'Books & Co', live, scopes }
    const { clientSecret, record } = await db.transaction((tx) =>
      createPartner(tx, ids, request, clock.now()),
    )
    return { clientId: record.clientId, clientSecret, id: record.id }
  }

  const open = as('')
  const exchange = (body: object, headers: Record<string, string> = {}) =>
    open.post(TOKEN, body, headers)

  async function tokenOf(
    { clientId, clientSecret }: { clientId: string; clientSecret: string },
    scope?: string,
  ): Promise<string> {
    const { body } = await exchange({ clientId, clientSecret, ...(scope && { scope }) })
    return body.data.accessToken
  }

  const grant = (key: string, clientId: string, scopes?: string[] | null) =>
    as(key).post(PARTNERS, { clientId, ...(scopes !== undefined && { scopes }) })

  /** In live mode, only a member with a second factor can grant access. */
  async function grantLive(businessId: number, clientId: string, scopes: string[] | null = null) {
    const owner = await memberOf(server, 'owner', businessId)
    await addPasskey(owner)
    owner.choose(businessId, 'live')
    return owner.post(PARTNERS, { clientId, scopes })
  }

  const revoke = (key: string, clientId: string) => as(key).post(`${PARTNERS}/${clientId}/revoke`)

  function acting(token: string, businessId: number | string) {
    const named = { 'x-business-id': String(businessId) }
    const { get, post, put } = as(token)
    return {
      get: (path: string, headers = {}) => get(path, { ...named, ...headers }),
      post: (path: string, body: unknown = {}, headers = {}) =>
        post(path, body, { ...named, ...headers }),
      put: (path: string, body: unknown = {}) => put(path, body, named),
    }
  }

  async function form(fields: Record<string, string> | string, headers = {}) {
    const response = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers,
    })
    // biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
    const body = (await response.json()) as any
    return { status: response.status, headers: response.headers, body }
  }

  return { newPartner, exchange, tokenOf, grant, grantLive, revoke, acting, form }
}
