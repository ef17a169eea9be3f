import type { startServer } from '../../../test/harness.ts'
import { routesApply } from '../../providers/providers.fixture.ts'
import { type Member, memberOf, turnTwoFactorOn } from '../people/people.fixture.ts'

type Server = Awaited<ReturnType<typeof startServer>>

/** An owner with a second factor, who looks at live mode. */
export async function liveOwner(server: Server, businessId: number): Promise<Member> {
  const owner = await memberOf(server, 'owner', businessId)
  await turnTwoFactorOn(server, owner)
  owner.choose(businessId, 'live')
  return owner
}

interface ProviderDouble {
  baseUrl: string
  notices: { url: string | undefined }
  provider: { description: string; secretKey(): string; secretHash?(): string }
}

/** Connects a new business to a provider's double in live mode, as its owner does. */
export async function connectLive(server: Server, { baseUrl, notices, provider }: ProviderDouble) {
  const { businessId, keys } = await server.newBusiness()
  const owner = await liveOwner(server, businessId)
  const credentials = {
    secret_key: provider.secretKey(),
    ...(provider.secretHash && { secret_hash: provider.secretHash() }),
  }
  const body = { provider: provider.description, credentials, baseUrl }
  const connected = await owner.post('/console/providers', body)
  const { connectionId, noticeUrl } = connected.body.data
  notices.url = noticeUrl.replace('http://127.0.0.1', server.url)
  await server.runJob('bank-lists')
  await server.runJob('item-lists')
  await routesApply()
  return {
    businessId,
    owner,
    connectionId: connectionId as number,
    live: server.as(keys.liveSecret),
  }
}
