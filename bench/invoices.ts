import { load } from './load.ts'
import { startBenchServer } from './server.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8)
const CONNECTIONS = 64

const BODY = JSON.stringify({
  customerEmail: 'ada.obi@example.com',
  customerName: 'Ada Obi',
  amount: 15000.5,
  note: 'Two chairs and a table, delivered to Surulere',
  dueDate: '2027-01-31',
})

const server = await startBenchServer()
const head =
  `POST /api/payment-service/external/v1/invoices HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
  `authorization: Bearer ${server.key}\r\ncontent-type: application/json\r\n`
const options = { port: server.port, connections: CONNECTIONS, head, body: BODY, unique: true }
await load({ ...options, seconds: 2 })
console.log('with database', await load({ ...options, seconds: SECONDS }))
await server.stop()
