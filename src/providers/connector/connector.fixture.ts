import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { newReference } from '../../lib/tokens.ts'
import { sentReferenceOf } from './references.ts'
import { type HttpClient, openTransport } from './transport.ts'
import type { Outcome } from './types.ts'

export const newSentReference = (prefix: string, attempt = 1) =>
  sentReferenceOf(newReference(prefix), attempt)

/** `refused bad_request`, as the table in the design has it. */
export function shown(outcome: Outcome<unknown>): string {
  if (outcome.kind === 'done') return 'done'
  return `${outcome.kind} ${outcome.kind === 'unknown' ? outcome.reason : outcome.code}`
}

export function valueIn<T>(outcome: Outcome<T>): T {
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  return outcome.value
}

/** Opens a server that gives every request the same response, for wordings of providers. */
export async function openResponder() {
  let next: { status: number; body: unknown } = { status: 404, body: '' }
  const server = createServer((_request, response) => {
    response.writeHead(next.status, { 'content-type': 'application/json' })
    response.end(typeof next.body === 'string' ? next.body : JSON.stringify(next.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const transport = openTransport({ allows: () => true, pauseMs: 5 })
  afterAll(() => {
    transport.close()
    server.close()
  })
  return {
    client: (): HttpClient => transport.client({ baseUrl, deadlineMs: 10_000 }),
    respondWith(status: number, body: unknown): void {
      next = { status, body }
    },
  }
}
