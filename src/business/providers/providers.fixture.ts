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

interface PaystackDouble {
  baseUrl: string
  notices: { url: string | undefined }
  provider: { secretKey(): string }
}

/** Connects a new business to a double of Paystack in live mode, as its owner does. */
export async function connectLive(server: Server, double: PaystackDouble) {
  const { businessId, keys } = await server.newBusiness()
  const owner = await liveOwner(server, businessId)
  const credentials = { secret_key: double.provider.secretKey() }
  const body = { provider: 'paystack', credentials, baseUrl: double.baseUrl }
  const connected = await owner.post('/console/providers', body)
  const { connectionId, noticeUrl } = connected.body.data
  double.notices.url = noticeUrl.replace('http://127.0.0.1', server.url)
  await server.runJob('bank-lists')
  await routesApply()
  return {
    businessId,
    owner,
    connectionId: connectionId as number,
    live: server.as(keys.liveSecret),
  }
}
