import { type Described, sampleOf } from '../described.ts'
import type { callerWith, Reply } from '../harness.ts'
import { type Place, placesOf, unknownLike } from './parameters.ts'
import type { Ids } from './records.ts'

/* Every operation, every id that it takes: the response about a record of another tenant. */

export interface Tenant {
  name: string
  caller: ReturnType<typeof callerWith>
  businessId: number
  ids: Ids
}

/** What a body contains besides, where its schema alone does not say enough. */
const BESIDES: Readonly<Record<string, (ids: Ids, about: string) => Record<string, unknown>>> = {
  add_split_page_subaccount: ({ subaccount }) => ({ share: 10, subaccount }),
  create_checkout_virtual_account: (_ids, about) =>
    about === 'pageId' ? { email: 'ada@example.com', amount: 700 } : {},
  create_payment_page: () => ({ title: 'A page', amount: 100 }),
  create_payment_page_of_transactions: () => ({ title: 'A page', amount: 100 }),
  create_split_page: () => ({ subaccounts: [{ share: 10 }] }),
  delete_delivery_fee: ({ deliveryFee }) => ({ deliveryFeeId: deliveryFee }),
  initialize_checkout: ({ varied }, about) => {
    if (about.endsWith('.variantId')) return { products: [{ productId: varied }] }
    return about === 'pageId' || about.startsWith('products') ? {} : { amount: 700 }
  },
  remove_payment_page_products: ({ product }, about) =>
    about === 'pageId' ? { productId: product } : {},
  remove_split_page_subaccount: ({ subaccount }) => ({ subaccount }),
  replay_webhook: () => ({ from: '2026-01-01' }),
  set_download_link_expiry: () => ({ maxDownloads: 3 }),
  update_delivery_fee: ({ deliveryFee }) => ({ deliveryFeeId: deliveryFee }),
  update_discount_code: ({ discount }) => ({ discountId: discount }),
}

/** Fields of a body that its schema does not require, but without which it is refused. */
export const besidesOf = (operation: string, ids: Ids, about = '') =>
  BESIDES[operation]?.(ids, about)

interface Case {
  operation: Described
  /** All places for ids in its requests, and the one in question. */
  places: readonly Place[]
  place: Place
  kind: string
}

export const casesOf = (operations: readonly Described[]): Case[] =>
  operations
    .filter(({ takesKey }) => takesKey)
    .flatMap((operation) => {
      const places = placesOf(operation)
      return places.flatMap((place) =>
        place.kinds.map((kind) => ({ operation, places, place, kind })),
      )
    })

const nameOf = ({ operation, place, kind }: Case) =>
  `${operation.operation} ${place.in} ${place.name.join('.')} (${kind})`

type Id = string | number

/**
 * Sends a request of a case. All ids but the one in question are the caller's own, or the owner's
 * if the caller has none.
 */
function send({ operation, places, place }: Case, caller: Tenant, owner: Tenant, id: Id) {
  const { method, path, parameters, bodies } = operation
  const {
    businessId,
    ids,
    caller: { get, call },
  } = caller
  const placed = (one: Place) =>
    one === place ? id : (ids[one.kinds[0]!] ?? owner.ids[one.kinds[0]!])
  const isSent = (one: Place) => one === place || one.isRequired
  const sent = places.filter((one) => isSent(one) && placed(one) !== undefined)

  let url = path
  const query = new URLSearchParams()
  for (const { name, in: where, required, schema } of parameters) {
    const own = sent.find((one) => one.in === where && one.name[0] === name)
    if (where === 'path') url = url.replace(`{${name}}`, encodeURIComponent(placed(own!)!))
    if (where !== 'query') continue
    if (own) query.set(name, `${placed(own)}`)
    else if (name === 'businessId') query.set(name, `${businessId}`)
    else if (required) query.set(name, `${sampleOf(schema, name)}`)
  }
  const address = query.size > 0 ? `${url}?${query}` : url
  if (method === 'GET') return get(address)

  const [[type, schema] = ['', undefined]] = Object.entries(bodies)
  const { file: _, ...sample } = schema ? (sampleOf(schema, 'body') as Record<string, unknown>) : {}
  const all = { ...owner.ids, ...ids }
  const besides = besidesOf(operation.operation, all, place.name.join('.'))
  const body: Record<string, unknown> = { ...sample, ...besides }
  for (const one of sent) if (one.in === 'body') put(body, one.name, placed(one))
  return type.startsWith('multipart/')
    ? call(method, address, ...multipart(body))
    : call(method, address, body)
}

function put(body: Record<string, unknown>, [name, ...rest]: readonly string[], id: unknown): void {
  if (rest.length === 0) body[name!] = id
  else if (rest[0] === '0' && rest.length === 1) body[name!] = [id]
  else if (rest[0] === '0') {
    const [item = {}] = (body[name!] ?? []) as Record<string, unknown>[]
    put(item, rest.slice(1), id)
    body[name!] = [item]
  } else {
    const inner = (body[name!] ?? {}) as Record<string, unknown>
    put(inner, rest, id)
    body[name!] = inner
  }
}

const BOUNDARY = 'tenants'

function multipart(fields: Record<string, unknown>): [string, Record<string, string>] {
  const part = (head: string, text: string) =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${text}\r\n`
  const parts = Object.entries(fields).map(([name, text]) => part(`name="${name}"`, `${text}`))
  const file = part('name="file"; filename="proof.pdf"', '%PDF-1.4\n%%EOF\n')
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  return [`${parts.join('')}${file}--${BOUNDARY}--\r\n`, headers]
}

/** A response without what differs each time, and without the id that was asked about. */
function seen({ status, text, headers }: Reply, id: Id): string {
  const requestId = headers.get('x-request-id') ?? '-'
  const whole = new RegExp(`(?<![0-9A-Za-z_])${id}(?![0-9A-Za-z_])`, 'g')
  return `${status} ${text.replaceAll(requestId, '…').replace(whole, '<id>')}`
}

/** Asks about a record of `owner` as someone else. Returns what is wrong with the response. */
export async function askAs(one: Case, other: Tenant, owner: Tenant): Promise<string[]> {
  const id = owner.ids[one.kind]
  if (id === undefined) return [`${nameOf(one)}: there is no record of this kind`]
  const unknown = unknownLike(id)
  const nothing = seen(await send(one, other, owner, unknown), unknown)
  const foreign = seen(await send(one, other, owner, id), id)
  if (foreign === nothing) return []
  return [
    `${nameOf(one)}, ${other.name}: ${foreign.slice(0, 300)} instead of ${nothing.slice(0, 300)}`,
  ]
}

/**
 * Asks about their own records as tenants. Returns what is wrong if no response shows that the
 * record was found: then the same request does not show that it is kept from others either. An
 * operation can end a record, so the next tenant is asked once that of one is used up.
 */
export async function askAsOwners(one: Case, owners: AsyncIterable<Tenant>): Promise<string[]> {
  let last = ''
  for await (const owner of owners) {
    const id = owner.ids[one.kind]
    if (id === undefined) break
    const unknown = unknownLike(id)
    const nothing = seen(await send(one, owner, owner, unknown), unknown)
    const own = seen(await send(one, owner, owner, id), id)
    if (own !== nothing) return []
    last = own
  }
  return [`${nameOf(one)}: the owner gets ${last.slice(0, 300)}, too`]
}

/** What ends a record comes after everything else. */
const ENDS = /^(?:delete|void|cancel|revoke|archive|remove|deactivate|reject|accept)_/

export const inOrder = (cases: readonly Case[]): Case[] => {
  const rank = ({ operation: { method, operation } }: Case) =>
    method === 'GET' ? 0 : ENDS.test(operation) ? 2 : 1
  return [...cases].sort((a, b) => rank(a) - rank(b))
}

/** The responses to every read of a tenant's own records. */
export async function readAll(cases: readonly Case[], owner: Tenant): Promise<string[]> {
  const reads = cases.filter(
    ({ operation, place }) => operation.method === 'GET' && place.in === 'path',
  )
  const all: string[] = []
  for (const one of reads) {
    const id = owner.ids[one.kind]
    if (id !== undefined) all.push(`${nameOf(one)} ${seen(await send(one, owner, owner, id), id)}`)
  }
  return all
}
