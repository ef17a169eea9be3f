import { expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { memberOf } from '../../business/people/people.fixture.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const REQUESTS = '/api/user-service/external/v1/requests'

const server = await startServer()

test('200 for members at the dashboard, whose own requests are not listed', async () => {
  const ada = await memberOf(server, 'owner')
  const invoice = { customerEmail: 'ada@example.com', amount: 5 }
  expect((await ada.post(INVOICES, invoice)).status).toBe(201)
  const ofProgram = await server.post(INVOICES, invoice)
  const { status, body } = await ada.get(REQUESTS)
  expect(status).toBe(200)
  expect(body.data.map(({ requestId }: { requestId: string }) => requestId)).toEqual([
    ofProgram.headers.get('x-request-id'),
  ])
})
