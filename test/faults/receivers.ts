import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { callerWith } from '../harness.ts'
import type { Received } from '../webhook-receiver.ts'
import type { Found } from './catalogue.ts'
import { compareEvents } from './journal.ts'
import type { Business, Rig } from './rigs.ts'

const WEBHOOKS = '/api/user-service/external/v1/webhooks'
const BROKEN_MS = 6_000
const HEALED_MS = 90_000

/** What receivers do wrong, by path. */
const WRONG: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  '/hangs': () => {},
  '/redirects': (response) => response.writeHead(302, { location: '/good' }).end(),
  '/gone': (response) => response.writeHead(410).end(),
  '/busy': (response) => response.writeHead(429, { 'retry-after': '2' }).end(),
  '/fails': (response) => response.writeHead(500).end(),
  '/closes': (response) => response.destroy(),
}

/**
 * Adds endpoints that fail in every way. Then they recover, and everything is sent again: each must
 * get all events of this time, and the endpoint that always worked must not have missed any.
 */
export async function breakReceivers(
  { url, query }: Rig,
  _random: () => number,
  { id, keys, receiver }: Business,
): Promise<Found> {
  const { post, put } = callerWith(url, keys.testSecret)
  const from = new Date()
  const paths = Object.keys(WRONG)
  const usual = receiver.answer
  const accepted = new Map(paths.map((path) => [path, new Set<string>()]))
  let isBroken = true
  receiver.answer = (response, request: Received) => {
    const wrong = WRONG[request.path]
    if (isBroken && wrong) return wrong(response)
    accepted.get(request.path)?.add(`${request.headers['webhook-id']}`)
    return usual(response, request)
  }
  const endpoints = await Promise.all(
    paths.map(async (path) => {
      const { status, text, body } = await post(WEBHOOKS, { url: `${receiver.url}${path}` })
      if (status !== 201) throw new Error(`${WEBHOOKS}: ${status} ${text}`)
      return `${WEBHOOKS}/${body.data.reference}`
    }),
  )
  const broken = new Date()
  await sleep(BROKEN_MS)
  isBroken = false
  const rows = await query(
    'select reference from events where business_id = $1 and not live and created_at >= $2',
    [id, broken],
  )
  const committed = new Set(rows.map(({ reference }) => `${reference}`))
  for (const endpoint of endpoints) {
    await put(endpoint, { status: 'Active' })
    const { status, text } = await post(`${endpoint}/replay`, { from: from.toISOString() })
    if (status !== 200) throw new Error(`${endpoint}: ${status} ${text}`)
  }
  const missing = () =>
    [...accepted].flatMap(([path, got]) =>
      compareEvents(committed, new Set([...got].filter((one) => committed.has(one)))).map(
        ({ promise, what }) => ({ promise, what: `${path}: ${what}` }),
      ),
    )
  for (const until = Date.now() + HEALED_MS; Date.now() < until; await sleep(500)) {
    if (missing().length === 0) break
  }
  for (const endpoint of endpoints) await post(`${endpoint}/delete`)
  receiver.answer = usual
  return { violations: missing() }
}
