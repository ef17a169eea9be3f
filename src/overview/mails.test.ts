import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { memberOf } from '../business/people/people.fixture.ts'

const server = await startServer({ jobs: false })
const INVOICES = '/api/payment-service/external/v1/invoices'

async function shop() {
  const { businessId, keys } = await server.newBusiness()
  const { post } = server.as(keys.testSecret)
  const owner = await memberOf(server, 'owner', businessId)
  const bill = async (i: number) => {
    const customerEmail = `c${i}@example.com`
    const { status } = await post(INVOICES, { customerEmail, amount: 100 })
    expect(status).toBe(201)
  }
  return { businessId, owner, bill }
}

type Line = { id: number; to: string }
const addresses = (lines: Line[]) => lines.map(({ to }) => to)

describe('GET /console/mails', () => {
  test('200 lists the mails of the business, newest first, and shows each', async () => {
    const { owner, bill, businessId } = await shop()
    for (let i = 1; i <= 5; i++) await bill(i)
    const first = (await owner.get('/console/mails?limit=2')).body
    expect(addresses(first.data)).toEqual(['c5@example.com', 'c4@example.com'])
    const next = (await owner.get(`/console/mails?limit=2&cursor=${first.meta.next}`)).body
    expect(addresses(next.data)).toEqual(['c3@example.com', 'c2@example.com'])
    const back = (await owner.get(`/console/mails?limit=2&cursor=${next.meta.previous}`)).body
    expect(back.data).toEqual(first.data)

    const one = await owner.get(`/console/mails/${first.data[0].id}`)
    expect(one.body.data).toMatchObject({
      ...first.data[0],
      kind: 'invoice',
      status: 'Queued',
      attempts: 0,
      error: null,
      text: expect.stringContaining('/i/'),
    })
    owner.choose(businessId, 'live')
    expect((await owner.get('/console/mails')).body.data).toEqual([])
    expect((await owner.get(`/console/mails/${first.data[0].id}`)).status).toBe(404)
  })

  test('404 for mails to team members, and for another business’s mails', async () => {
    const [one, other] = [await shop(), await shop()]
    await one.owner.post('/console/team/invite', { email: 'new@ada.example', role: 'viewer' })
    one.owner.choose(one.businessId, 'live')
    const [invitation] = await server.db.many<{ id: number }>`
      select id from mails where business_id = ${one.businessId} and kind = 'person_notice'`
    expect((await one.owner.get('/console/mails')).body.data).toEqual([])
    expect((await one.owner.get(`/console/mails/${invitation!.id}`)).status).toBe(404)

    await other.bill(1)
    const [{ id }] = (await other.owner.get('/console/mails')).body.data
    one.owner.choose(one.businessId)
    expect((await one.owner.get(`/console/mails/${id}`)).body.errorCode).toBe('mail_not_found')
    const viewer = await memberOf(server, 'viewer', other.businessId)
    expect((await viewer.get(`/console/mails/${id}`)).status).toBe(200)
  })
})
