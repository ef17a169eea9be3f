import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Claim } from '../db/idempotency.ts'
import { addMs } from '../lib/clock.ts'
import { invalid } from '../lib/problem.ts'
import type { Caller } from '../lib/tenant.ts'
import { valuesOf } from './auth.ts'
import { fingerprinter } from './fingerprint.ts'
import type { Route, Service } from './route.ts'
import type { Upload } from './uploads.ts'

const KEY = /^[\x21-\x7e]{1,255}$/
/** A bare path is the short address of an operation of this service. */
const BARE: Service = 'transaction-service'
const FAMILY = /^\/api\/([a-z-]+)\/(?:external\/)?v1/

/** Reads the Idempotency-Key; throws 400 for one that is none. Reads have none. */
export function claimerOf(
  { method, reads, service, path, sameAs, params, body, query, uploads }: Route,
  keptMs: number,
) {
  const isRead = method === 'GET' || reads === true
  const schemas = uploads ? [body, query, Uploaded] : [body, query]
  const fingerprint = fingerprinter(schemas)
  const asSent = fingerprinter(schemas, true)
  // The address less family and trailing slash; the same for all requests but those with
  // parameters. An operation with two addresses is claimed by one of them, whichever was called.
  const address = sameAs ?? `${service ?? BARE}${path.replace(/\/$/, '')}`
  const scope = params ? undefined : `${method} ${address}`

  return (
    request: FastifyRequest,
    input: { caller: Caller; body: unknown; query: unknown; files: readonly Upload[] },
  ): Claim | undefined => {
    if (isRead || request.headers['idempotency-key'] === undefined) return undefined
    const sent = valuesOf(request, 'idempotency-key')
    const [key = ''] = sent
    if (sent.length !== 1 || !KEY.test(key)) throw badKey()

    const { businessId, live, partner, person, now } = input.caller
    const asked = scope ?? scopeOf(method, request.url)
    const parts = [input.body, input.query, input.files.map(contentOf)]
    return {
      businessId,
      live,
      // Nobody is answered what was meant for another who happened to choose the same key.
      scope: `${partner ?? (person ? `person ${person.id}` : '')} ${asked}`.trimStart(),
      key,
      fingerprint: fingerprint(parts),
      fingerprintAsSent: () => asSent(parts),
      now,
      expiresAt: addMs(now, keptMs),
    }
  }
}

/** Files are the same request when their bytes are. */
const Uploaded = Type.Array(Type.Object({ name: Type.String(), sha256: Type.String() }))

const contentOf = ({ name, sha256 }: Upload) => ({ name, sha256: sha256.toString('hex') })

/** However its characters are escaped, an address is the same one. */
function scopeOf(method: string, url: string): string {
  const [path = ''] = url.split('?', 1)
  const steps = path.replace(FAMILY, '$1').replace(/\/$/, '').split('/')
  return `${method} ${steps.map((step) => encodeURIComponent(decodeURIComponent(step))).join('/')}`
}

const badKey = () =>
  invalid({ 'Idempotency-Key': ['must be sent once, with 1 to 255 visible ASCII characters'] })
