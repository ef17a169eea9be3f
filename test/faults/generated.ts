import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Described, describedIn, type Parameter, type Schema, sampleOf } from '../described.ts'
import { callerWith } from '../harness.ts'
import { type Reply, send } from '../request.ts'
import { besidesOf } from '../tenants/matrix.ts'
import { placesOf } from '../tenants/parameters.ts'
import { type Ids, openRecords } from '../tenants/records.ts'
import type { Found } from './catalogue.ts'
import type { Violation } from './journal.ts'
import type { Business, Rig } from './rigs.ts'
import { stallOf, watchStalls } from './stalls.ts'

/* Requests to every operation, drawn from the server's own description of itself. */

const AT_ONCE = 8
const RESPONSE_MS = 60_000
const SHOWN_BYTES = 600
const SHOWN_MAX = 10

interface Generated {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

/** What the generator draws from: the business's own records, and chance. */
interface Source {
  random: () => number
  ids: Ids
  keys: readonly string[]
  /** How much of the current request is meant to be wrong, from 0 to 1. */
  wildness: number
  /** The record that a name means in the current operation. */
  known: ReadonlyMap<string, string | number>
}

const WILDNESS = [0, 0, 0, 0.1, 0.1, 0.2, 0.4, 1]

/**
 * Sends this many requests to all operations: valid ones, and ones that are wrong in some way, with
 * the ids of real records among others. None may cause a 5xx that the contract does not name, end
 * the server, or stop it from responding to others.
 */
export async function sendGenerated(
  { url, json, server }: Rig,
  random: () => number,
  { receiver }: Business,
  { requests }: { requests: number },
): Promise<Found> {
  const { keys } = await json('business', 'create', 'Generated')
  const caller = callerWith(url, keys.testSecret)
  const { body: document } = await caller.get('/openapi.json')
  const operations = describedIn(document)
  const ids = await openRecords({
    url,
    key: keys.testSecret,
    caller,
    hook: `${receiver.url}/generated`,
    name: `g${Math.floor(random() * 1e9)}`,
  })
  const source = {
    random,
    ids,
    keys: [...Array(8).fill(keys.testSecret), ...Array(1).fill(keys.liveSecret), 'sk_test_no'],
  }
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const violations: Violation[] = []
  const statuses = new Map<number, number>()
  const tried = new Set<string>()
  const pid = server.pid()
  let left = requests

  async function work(): Promise<void> {
    while (left > 0 && violations.length < SHOWN_MAX) {
      left -= 1
      const operation = operations[Math.floor(random() * operations.length)]!
      const drawn = draw(operation, aboutTo(operation, source))
      tried.add(operation.operation)
      const reply = await exchange(url, drawn, agent)
      statuses.set(reply?.status ?? 0, (statuses.get(reply?.status ?? 0) ?? 0) + 1)
      const wrong = faultOf(reply, operation)
      if (wrong) violations.push({ promise: 'P6', what: `${wrong}: ${shown(drawn)}` })
    }
  }

  const stalls = watchStalls(url)
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const longestMs = await stalls.end()
  agent.destroy()
  violations.push(...stallOf('P6', longestMs))
  if (!isRunning(pid)) violations.push({ promise: 'P6', what: 'the server ended' })
  const sent = requests - Math.max(0, left)
  if (tried.size < operations.length && sent > 20 * operations.length) {
    violations.push({ promise: 'P6', what: `${operations.length - tried.size} were never tried` })
  }
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`)
  const says =
    `${sent} requests to ${tried.size} operations (${counts.join(', ')}); ` +
    `/health/live took at most ${Math.round(longestMs)} ms`
  return { violations, checks: sent, says }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns what is wrong with a response, if anything is. */
function faultOf(reply: Reply | undefined, { operation }: Described): string | undefined {
  if (!reply) return `${operation}: no response`
  const { status, body, text, headers } = reply
  if (status < 500) return undefined
  const code = [body?.errorCode, body?.error].find((one) => typeof one === 'string') ?? ''
  const isNamed =
    status === 503 ? headers.has('retry-after') : `${code}`.toLowerCase() === BILL_REFUSED
  return isNamed ? undefined : `${operation}: ${status} ${text.slice(0, 200)}`
}

/** The one 500 that is an expected result: the biller refused. */
const BILL_REFUSED = 'utility_payment_failed'

const shown = ({ method, url, headers, body }: Generated) => {
  const { authorization: _, ...others } = headers
  return `${method} ${url} ${JSON.stringify(others)} ${body ?? ''}`.slice(0, SHOWN_BYTES)
}

/** A connection that the server closes after a refusal can break, so a request gets two. */
async function exchange(url: string, drawn: Generated, agent: Agent): Promise<Reply | undefined> {
  for (const each of [agent, new Agent()]) {
    const { method, headers, body } = drawn
    const late = sleep(RESPONSE_MS).then(() => undefined)
    const reply = send(url + drawn.url, { method, headers, body, agent: each })
    const first = await Promise.race([reply.catch(() => undefined), late])
    if (first) return first
  }
  return undefined
}

const pick = <T>({ random }: Source, all: readonly T[]): T =>
  all[Math.floor(random() * all.length)]!

function aboutTo(operation: Described, source: Omit<Source, 'wildness' | 'known'>): Source {
  const places = operation.takesKey ? placesOf(operation) : []
  const known = places.flatMap(({ name, kinds }) => {
    const id = source.ids[kinds[0]!]
    return id === undefined ? [] : [[name.findLast((step) => step !== '0')!, id] as const]
  })
  const wildness = WILDNESS[Math.floor(source.random() * WILDNESS.length)]!
  return { ...source, wildness, known: new Map(known) }
}

/** Draws a request for an operation, of which more or less is wrong. */
function draw(operation: Described, source: Source): Generated {
  const { method, path, parameters, bodies } = operation
  const { random, wildness } = source
  const query = new URLSearchParams()
  let url = path
  for (const parameter of parameters) {
    const { name, in: where, required } = parameter
    if (where === 'path') url = url.replace(`{${name}}`, pathValue(parameter, source))
    if (where === 'query' && (required || random() < 0.3)) {
      const value = drawValue(parameter.schema, name, source)
      query.append(name, textOf(value))
      if (random() < 0.02) query.append(name, '1')
    }
  }
  if (random() < wildness / 5) query.append(`${pick(source, TEXTS)}`, '1')
  const headers: Record<string, string> = { authorization: `Bearer ${pick(source, source.keys)}` }
  if (random() < wildness / 5) headers['x-business-id'] = `${pick(source, NUMBERS)}`
  if (method !== 'GET') {
    if (random() < 0.2) headers['idempotency-key'] = `key-${Math.floor(random() * 200)}`
    if (random() < 0.05) headers['if-match'] = pick(source, ['*', '"x"', 'W/"abc", "d"', ','])
  }
  const address = query.size > 0 ? `${url}?${query}` : url
  const types = Object.keys(bodies)
  if (types.length === 0 || method === 'GET') {
    // Not every reader of HTTP expects a body here.
    const body = method !== 'GET' && random() < 0.3 ? '{}' : undefined
    if (body) headers['content-type'] = JSON_TYPE
    return { method, url: address, headers, ...(body && { body }) }
  }
  const type = pick(source, types)
  const besides = random() < wildness ? {} : besidesOf(operation.operation, source.ids)
  const fields = { ...drawObject(bodies[type]!, source, 0), ...besides }
  const { body, contentType } = encode(type, fields, source)
  headers['content-type'] = random() < wildness / 20 ? 'text/plain' : contentType
  return {
    method,
    url: address,
    headers,
    body: random() < wildness / 8 ? damaged(body, source) : body,
  }
}

const JSON_TYPE = 'application/json'
const BOUNDARY = 'generated'

function encode(type: string, fields: Record<string, unknown>, source: Source) {
  if (type === JSON_TYPE) return { body: JSON.stringify(fields), contentType: JSON_TYPE }
  const texts = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : `${value}`,
  ])
  if (!type.startsWith('multipart/')) {
    return { body: `${new URLSearchParams(Object.fromEntries(texts))}`, contentType: type }
  }
  const part = (head: string, text: string) =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${text}\r\n`
  const content = pick(source, ['%PDF-1.4\n%%EOF\n', '\x89PNG\r\n\x1a\n', '<svg/>', '', 'GIF89a'])
  const parts = texts
    .filter(([name]) => name !== 'file')
    .map(([name, text]) => part(`name="${name}"`, text!))
  const file = part(`name="file"; filename="${pick(source, FILE_NAMES)}"`, content)
  const body = `${parts.join('')}${file}--${BOUNDARY}--\r\n`
  return { body, contentType: `multipart/form-data; boundary=${BOUNDARY}` }
}

const FILE_NAMES = ['a.pdf', '../../etc/passwd', 'a\\b.png', '.', 'x'.repeat(300), 'é.svg', '']

/** A body that was cut off or has something else in it. */
function damaged(body: string, source: Source): string {
  const at = Math.floor(source.random() * body.length)
  return pick(source, [
    body.slice(0, at),
    `${body.slice(0, at)}\u0000${body.slice(at)}`,
    `${body.slice(0, at)}"}]${body.slice(at)}`,
    body + body,
    '',
  ])
}

function pathValue({ schema, name }: Parameter, source: Source): string {
  const { random, wildness, known, ids } = source
  if (random() >= wildness) return encodeURIComponent(known.get(name) ?? 0)
  if (random() < 0.5) return encodeURIComponent(pick(source, Object.values(ids)))
  if (random() < 0.3) return pick(source, ['..', '%00', '%ff', '%2e%2e%2f', ';', '%25'])
  return encodeURIComponent(wellFormed(textOf(drawValue(schema, name, source)))) || '0'
}

/** An object can have a `toString` that is not a function. */
const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : `${value}`)

/** `encodeURIComponent` throws for a lone surrogate. */
const wellFormed = (text: string) => text.slice(0, 300).toWellFormed()

function drawObject(schema: Schema, source: Source, depth: number): Record<string, unknown> {
  const { random, wildness } = source
  const { properties = {}, required = [] } = schema
  const all: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(properties)) {
    const isWanted = required.includes(name) ? random() >= wildness / 10 : random() < 0.2
    if (isWanted) all[name] = drawValue(field, name, source, depth + 1)
  }
  if (random() < wildness / 5) all[pick(source, ODD_NAMES)] = pick(source, ANYTHING)
  return all
}

function drawValue(schema: Schema, name: string, source: Source, depth = 0): unknown {
  const { random, wildness, known, ids } = source
  const types = [schema.type ?? []].flat()
  if (random() >= wildness) {
    const id = known.get(name)
    if (id !== undefined) return types.includes('array') ? [id] : id
    // Any valid value where that is easy to tell, and otherwise always the same.
    if (schema.enum) return pick(source, schema.enum)
    if (schema['x-amount']) return Math.floor(random() * 100_000) / 100 + 1
    return sampleOrText(schema, name)
  }
  const kind = random()
  if (kind < 0.15) return pick(source, ANYTHING)
  if (schema['x-record-id'] && kind < 0.7) return pick(source, Object.values(ids))
  if (schema.enum && kind < 0.5) return pick(source, schema.enum)
  if (schema.properties) return depth > 4 ? {} : drawObject(schema, source, depth)
  if (types.includes('array')) {
    const { minItems = 0, maxItems = 5 } = schema
    const length = pick(source, [
      0,
      1,
      minItems,
      Math.min(maxItems, 20),
      Math.min(maxItems + 1, 21),
    ])
    return Array.from({ length }, () => drawValue(schema.items ?? {}, name, source, depth + 1))
  }
  if (types.includes('object'))
    return Object.fromEntries([[pick(source, TEXTS), pick(source, ANYTHING)]])
  if (types.includes('boolean')) return random() < 0.5
  if (types.includes('integer') || types.includes('number')) {
    const { minimum = 0, maximum = 1e6 } = schema
    const edges = [minimum, maximum, minimum - 1, maximum + 1, minimum + 0.5]
    return pick(source, random() < 0.7 ? edges : NUMBERS)
  }
  const { minLength = 0, maxLength = 64 } = schema
  const length = pick(source, [
    minLength,
    Math.min(maxLength, 3_000),
    Math.min(maxLength + 1, 3_001),
  ])
  return random() < 0.4 ? 'a'.repeat(length) : pick(source, TEXTS)
}

function sampleOrText(schema: Schema, name: string): unknown {
  try {
    return sampleOf(schema, name)
  } catch {
    return 'sample'
  }
}

const TEXTS = [
  ...['', ' ', 'null', 'undefined', '0', '-1', '1e309', 'NaN', 'true', '[object Object]'],
  ...["'", "' or '1'='1", '"; drop table invoices; --', "\\'; select pg_sleep(5); --", '%', '_%'],
  ...['\u0000', '\ud800', '\udfff\ud800', '\u202e', '\ufeff', '\u200b', 'é', '😀', '한국어'],
  ...['<script>alert(1)</script>', '{{7*7}}', '#{7*7}', '../../../etc/passwd', 'a\r\nb: c'],
  ...['2026-02-30', '2026-01-01T00:00:00Z', '0000-00-00', '275760-09-14', 'infinity', 'now()'],
  ...['1500.555', '0x10', '١٢٣', '１２', '9'.repeat(40), '=1+1', '(?:a+)+$', 'a'.repeat(2_000)],
  ...['http://169.254.169.254/', 'javascript:alert(1)', 'ada@example.com', '0123456785', '058'],
]

const NUMBERS = [
  ...[0, -0, -1, 1, 0.1, 1.005, 100, 2 ** 31, 2 ** 53, 2 ** 53 - 1, -(2 ** 63), 2 ** 64, 1e21],
  ...[1e308, -1e308, 5e-324, 1e-7, 123_456_789.99],
]

const ODD_NAMES = ['__proto__', 'constructor', 'toString', 'businessId', 'isLive', '', 'a.b', '0']

const ANYTHING: readonly unknown[] = [
  ...[null, true, false, [], {}, [[]], [null], { a: [] }, { toString: 1 }, ...NUMBERS, ...TEXTS],
  JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`),
  Array(200).fill(0),
]
