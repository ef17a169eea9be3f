import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { browserAt, memberOf, ownerToken, PASSWORD } from './testing.ts'

const server = await startServer({ sweepers: false })
const { db, url } = server

test('200 signs the first owner up by the link, once', async () => {
  const { businessId } = await server.newBusiness()
  const token = await ownerToken(server, businessId)
  const browser = browserAt(url)
  expect((await browser.get(`/console/link?token=${token}`)).body.data).toMatchObject({
    kind: 'owner',
    business: 'Ada Ventures',
    role: 'owner',
  })
  const body = { token, name: 'Ada Obi', email: 'Ada@Ada.example', password: PASSWORD }
  const answer = await browser.post('/console/sign-up', body)
  expect(answer.body).toMatchObject({ status: 'success' })
  const me = (await browser.get('/console/me')).body.data
  expect(me).toMatchObject({
    person: { name: 'Ada Obi', email: 'ada@ada.example', twoFactor: false },
    businesses: [{ id: businessId, role: 'owner' }],
  })
  expect((await browser.get(`/console/link?token=${token}`)).status).toBe(404)
  expect((await browserAt(url).post('/console/sign-up', body)).status).toBe(404)
  expect((await browser.get('/console/team')).body.data.members).toHaveLength(1)
  expect((await browser.get('/console/audit')).body).toMatchObject({
    data: [{ action: 'session.begin' }, { action: 'member.join', person: 'Ada Obi' }],
    meta: { total: 2 },
  })
  void memberOf
  void db
})
