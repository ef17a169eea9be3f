import { createHmac } from 'node:crypto'
import { beforeEach } from 'vitest'
import { send } from '../../../request.ts'
import { openReceiver } from '../../../webhook-receiver.ts'
import { startDouble } from '../start.ts'
import type { Settings } from './account.ts'
import { flutterwave } from './flutterwave.ts'

/** Opens a business's account with Flutterwave, with a server that takes its notices. */
export async function startAccount(given: Partial<Settings> = {}) {
  const double = await startDouble((kit) => flutterwave(kit, given))
  const { provider, books, notices } = double
  const receiver = await openReceiver()
  notices.url = receiver.url
  receiver.answer = (response, { headers, body }) => {
    const hash = provider.secretHash()
    const signature = headers['flutterwave-signature']
    const expected = createHmac('sha256', hash).update(body).digest('base64')
    const isGenuine =
      headers['verif-hash'] === hash && (signature === undefined || signature === expected)
    response.writeHead(isGenuine ? 200 : 401).end()
  }
  beforeEach(() => {
    receiver.received.length = 0
  })

  const call = (method: string, path: string, body?: unknown, key = provider.secretKey()) =>
    send(`${double.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  let made = 0

  return {
    double,
    receiver,
    call,
    get: (path: string) => call('GET', path),
    post: (path: string, body: unknown) => call('POST', path, body),
    newReference: () => `trf-doubles-of-providers-${++made}`,
    balance: () => books.balance_minor('NGN'),
    /** The notices that arrived since the last time, in the order in which they were sent. */
    async arrived() {
      await notices.settled()
      const place = (text: string) => notices.sent.findIndex(({ body }) => body === text)
      const bodies = receiver.received.splice(0).map(({ body }) => body)
      return bodies.sort((a, b) => place(a) - place(b)).map((body) => JSON.parse(body))
    },
  }
}
