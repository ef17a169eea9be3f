import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BODY_BYTES_MAX, readRaw } from '../../http/bodies.ts'
import { networkOf } from '../../http/ip-addresses.ts'
import { type Limiting, openLimiter } from '../../http/rate-limit.ts'
import type { Mounted } from '../../http/route.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import type { Account, Inbox } from '../../providers/inbox/inbox.ts'

/** Refusals, per network. Authentic notifications are never limited. */
const REFUSED = { perSecond: 1, burst: 60 }

const NOTICE: Mounted = {
  method: 'POST',
  url: '/providers/notices/:token',
  operation: 'receive_provider_notification',
  status: 200,
  errors: 'fields',
}

type NoticeRequest = FastifyRequest<{ Params: { token: string } }>

/** Mounts the URL to which providers send notifications. */
export function mountNotices(
  server: FastifyInstance,
  { inbox }: { inbox: Inbox },
  limiting: Limiting,
): Mounted[] {
  const refused = openLimiter(limiting, 'refused notifications', REFUSED)
  const { clock } = limiting

  /** Throws 429, before the body is read, to a network that has used up its refusals. */
  function requireRefusalsLeft(network: string): void {
    refused(network)
    refused.giveBack(network)
  }

  /** Throws only if requests that began earlier have used up the refusals meanwhile. */
  function countRefusal({ ip }: FastifyRequest): void {
    refused(networkOf(ip))
  }

  const deliveryOf = (request: FastifyRequest) => ({
    headers: headersOf(request),
    body: Buffer.isBuffer(request.body) ? request.body : NOTHING,
    address: request.ip,
    receivedAt: clock.now(),
  })

  async function accountOf(request: NoticeRequest): Promise<Account> {
    const account = await inbox.find(request.params.token)
    if (account && !account.isRemoved) return account
    countRefusal(request)
    if (!account) throw notFound('connection')
    throw new Problem('gone', 'connection_removed', 'This connection has been removed.')
  }

  void server.register(async (scope) => {
    readRaw(scope)
    scope.route<{ Params: { token: string } }>({
      method: 'POST',
      url: NOTICE.url,
      bodyLimit: BODY_BYTES_MAX.operation,
      config: { errors: 'fields' },
      onRequest: async (request) => {
        requireRefusalsLeft(networkOf(request.ip))
        await accountOf(request)
      },
      onError: async (request, _reply, error) => {
        if ((error as { code?: string }).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') return
        const account = await inbox.find(request.params.token)
        if (account) inbox.refuse(account, 'too_large', deliveryOf(request))
      },
      handler: async (request, reply) => {
        const account = await accountOf(request)
        const outcome = await inbox.receive(account, deliveryOf(request))
        if (outcome === 'stored') return reply.header('cache-control', 'no-store').send(STORED)
        countRefusal(request)
        throw new Problem('unauthenticated', 'invalid_signature', REFUSALS[outcome])
      },
    })
  })
  return [NOTICE]
}

const STORED = { status: 'ok' }

const NOTHING = Buffer.alloc(0)

const REFUSALS = {
  unsigned: 'The notification is not signed.',
  forged: 'The signature does not fit the body.',
  too_large: 'The body is too large.',
}

const headersOf = ({ headers }: FastifyRequest): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  )
