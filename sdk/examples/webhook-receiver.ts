// Receives webhooks: accepts only those signed by Tradepost, responds immediately, and handles each
// event once.
import { createServer, type IncomingMessage } from 'node:http'
import { verifyWebhook, type WebhookEvent, WebhookVerificationError } from '@tradepost/sdk'

// Shown once, when the endpoint is created. During a rotation, it contains both secrets, separated
// by a space.
const secrets = process.env.TRADEPOST_WEBHOOK_SECRET?.split(' ') ?? []
const port = Number(process.env.RECEIVER_PORT ?? 4001)

/**
 * Stands in for a table of your own with the id as its key, because an event can arrive more than
 * once. Insert the id in the same transaction as your own change, so that neither is stored without
 * the other.
 */
const done = new Set<string>()

async function receive(event: WebhookEvent): Promise<void> {
  if (done.has(event.id)) return
  switch (event.type) {
    case 'invoice.paid':
      console.log(`Paid: ${event.data.invoiceNumber}, ₦${event.data.amountPaid}`)
      break
    case 'transfer.failed':
      console.log(`Failed: ${event.data.reference}, ${event.data.failureReason}`)
      break
    default:
      // Newer servers can send event types that this program doesn't know.
      console.log(`Event: ${event.type} ${event.id}`)
  }
  // Not before: if the code above throws, the event is sent again and must be handled then.
  done.add(event.id)
}

/**
 * Use the bytes as they were received. If they are parsed and serialised again, they don't match
 * the signature.
 */
async function bytesOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > 1024 * 1024) throw new WebhookVerificationError('The webhook is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function answer(request: IncomingMessage): Promise<number> {
  try {
    await receive(await verifyWebhook(await bytesOf(request), request.headers, secrets))
    return 204
  } catch (error) {
    const isRefused = error instanceof WebhookVerificationError
    console.error(isRefused ? `Refused: ${error.message}` : error)
    return isRefused ? 400 : 500
  }
}

const server = createServer((request, response) => {
  void answer(request).then((status) => response.writeHead(status).end())
})
server.listen(port, '127.0.0.1', () => {
  const address = server.address()
  console.log(`Listening on ${typeof address === 'object' ? address?.port : address}`)
})
