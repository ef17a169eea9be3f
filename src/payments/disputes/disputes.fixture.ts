import type { startServer } from '../../../test/harness.ts'
import { memberOf } from '../../business/people/people.fixture.ts'
import { balancesIn } from '../../money/wallet/wallet.fixture.ts'
import { openShop } from '../refunds/refunds.fixture.ts'

export const DISPUTES = '/api/transaction-service/external/v1/disputes'
const EVENTS = '/api/user-service/external/v1/events'

export const HOUR_MS = 3_600_000

type Server = Awaited<ReturnType<typeof startServer>>

/** A business whose payers dispute payments. Test businesses begin with money in the wallet. */
export async function openDisputedShop(server: Server, settings: object = {}) {
  const shop = await openShop(server, settings)
  const { businessId, get, post, keys } = shop
  const { db } = server

  /** Disputes a payment. Returns the dispute's reference. */
  async function dispute(payment: { reference: string }, more: object = {}): Promise<string> {
    const { reference } = payment
    const { body } = await post('/api/simulator/dispute', { reference, ...more })
    return body.data.reference
  }
  const decide = (reference: string, outcome: 'won' | 'lost') =>
    post('/api/simulator/dispute-outcome', { reference, outcome })
  const read = async (reference: string) => (await get(`${DISPUTES}/${reference}`)).body.data
  const accept = (reference: string, body: object = {}) =>
    post(`${DISPUTES}/${reference}/accept`, body)
  const contest = (reference: string, body: object = { message: 'It was delivered' }) =>
    post(`${DISPUTES}/${reference}/contest`, body)
  const send = () => server.runJob('dispute_response-orders')

  async function upload(reference: string, bytes: Uint8Array, name = 'proof.pdf') {
    const form = new FormData()
    form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), name)
    const response = await fetch(`${server.url}${DISPUTES}/${reference}/evidence`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${keys.testSecret}` },
    })
    // biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
    const body = (await response.json()) as any
    return { status: response.status, body }
  }

  const balances = () => balancesIn(db, { businessId })
  const transaction = (id: number) =>
    db.one`
      select status, refunding_minor, refunded_minor, disputed_minor, reversed_minor
      from transactions where id = ${id}`
  const events = async (pattern = /^(?:dispute|transaction\.reversed|wallet\.debited)/) => {
    const { body } = await get(`${EVENTS}?sort=ASC&limit=100`)
    return (body.data as { type: string; data: Record<string, unknown> }[]).filter(({ type }) =>
      pattern.test(type),
    )
  }
  const told = async (pattern?: RegExp) => (await events(pattern)).map(({ type }) => type)
  const owner = await memberOf(server, 'owner', businessId)
  await memberOf(server, 'viewer', businessId)
  /** The emails about disputes to the people who can respond, as they are stored. */
  const mails = async () => {
    const rows = await db.many<{ data: string; to: string }>`
      select data::text as data, to_address as to from mails
      where business_id = ${businessId} and kind = 'person_news' order by id`
    return rows
      .map(({ data, to }) => ({ ...JSON.parse(data), to }))
      .filter(({ what }) => what === 'dispute') as Record<'news' | 'amount' | 'to', string>[]
  }
  /** Takes all but this much out of the wallet. */
  async function keepOnly(amount: number) {
    const { available } = await shop.wallet()
    const account = { bankCode: '058', accountNumber: '0123456789' }
    const fee = 50
    await post('/api/transaction-service/external/v1/transfers', {
      ...account,
      amount: available - amount - fee,
    })
    await server.runJob('transfer-orders')
    server.clock.advance(1_000)
    await server.runJob('simulator')
  }
  return {
    ...shop,
    dispute,
    decide,
    read,
    accept,
    contest,
    send,
    upload,
    balances,
    transaction,
    events,
    told,
    mails,
    keepOnly,
    owner,
  }
}
