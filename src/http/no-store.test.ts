import { expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { memberOf } from '../business/people/people.fixture.ts'

const server = await startServer({ jobs: false })
const INVOICES = '/api/payment-service/external/v1/invoices'

test('200, 201, 400, 401 and 404 of an operation are not cached, by key or session', async () => {
  const member = await memberOf(server, 'owner')
  const body = { customerEmail: 'ada@example.com', amount: 5 }
  const { reference } = (await server.post(INVOICES, body)).body.data
  const answers = [
    ...(await Promise.all([member, server].map(({ get }) => get(`${INVOICES}/${reference}`)))),
    await server.post(INVOICES, body),
    await member.get(`${INVOICES}?limit=0`),
    await server.as('sk_test_nobody').get(INVOICES),
    await member.get(`${INVOICES}/INV_none`),
  ]
  expect(answers.map(({ status, headers }) => [status, headers.get('cache-control')])).toEqual(
    [200, 200, 201, 400, 401, 404].map((status) => [status, 'no-store']),
  )
})
