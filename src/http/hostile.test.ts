import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { hostileTo, type Schema, type Target, targetsOf } from '../../test/hostile-bodies.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { Problem } from '../lib/problem.ts'
import { validator } from './validation.ts'

const ANSWER_BYTES_MAX = 64 * 1024
const FIELD_ERRORS_MAX = 20
/** Large enough that work which grows faster than a body shows in the counts. */
const BODY_BYTES = 12 * 1024
const AT_ONCE = 8

const server = await startServer()
const person = await memberOf(server, 'owner')
const targets = targetsOf(server.app.server)
const credentials: Record<Target['sender'], Record<string, string>> = {
  key: { authorization: `Bearer ${server.business.keys.testSecret}` },
  person: { cookie: person.cookie(), 'x-csrf-token': person.csrf() },
  anybody: {},
}

/** The faults in a target's responses to hostile requests, one line each. */
async function faultsOf(target: Target): Promise<string[]> {
  const { url, method, sender, bytesMax } = target
  const found: string[] = []
  for (const { what, type, body, query, isRefused } of hostileTo(
    target,
    Math.min(bytesMax - 100, BODY_BYTES),
  )) {
    const response = await fetch(server.url + url + query, {
      method,
      redirect: 'manual',
      headers: { ...credentials[sender], ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    })
    const { status, headers } = response
    const isStream = headers.get('content-type')?.includes('event-stream')
    if (isStream) await response.body?.cancel()
    const text = isStream ? '' : await response.text()
    const note = (says: string) =>
      found.push(`${target.name}, ${what}: ${status} ${says} ${text.slice(0, 200)}`)
    if (status >= 500) note('is a server error')
    else if (isRefused && status < 400) note('was not refused')
    else if (sender !== 'anybody' && status === 401) note('was not authenticated')
    if (status < 400) continue
    if (Buffer.byteLength(text) > ANSWER_BYTES_MAX) note(`has ${text.length} characters`)
    if (!headers.get('content-type')?.includes('json')) continue
    const { errors = {} } = JSON.parse(text) as { errors?: Record<string, string[]> }
    if (Object.values(errors).flat().length > FIELD_ERRORS_MAX) note('names too many faults')
    if (Object.keys(errors).some((path) => path.length > 100)) note('has too long a path')
  }
  return found
}

test('every route answers hostile requests with 4xx, at most 64 KiB and 20 faults', {
  // The test asserts counts, so it must not fail on a slow machine.
  timeout: 0,
}, async () => {
  const found: string[] = []
  const left = [...targets]
  const work = async () => {
    for (let next = left.pop(); next; next = left.pop()) found.push(...(await faultsOf(next)))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  expect(found).toEqual([])
})

test('the routes include operations, the dashboard, tokens and payer pages', () => {
  const urls = targets.map(({ method, url }) => `${method} ${url}`)
  for (const one of [
    'POST /api/payment-service/v1/invoices',
    'POST /console/sign-in',
    'POST /oauth/token',
    'POST /pay/1',
    'GET /i/1',
  ]) {
    expect(urls).toContain(one)
  }
})

describe('validation reads no more of a value than a valid one can contain', () => {
  const withFields = targets.filter(({ takes, schema }) => takes === 'json' && schema.properties)

  test.each(withFields.map((target) => [target.name, target] as const))('%s', (_name, target) => {
    let looks = 0
    /** A value far over every limit of its schema, which counts each access. */
    const vast = ({ type, properties, items }: Schema): unknown => {
      if (properties) {
        return Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, vast(of)]))
      }
      if (![type].flat().includes('array')) return '\u0001'
      return new Proxy(Array(1_000_000), {
        get(list, name, receiver) {
          if (!/^\d+$/.test(String(name))) return Reflect.get(list, name, receiver)
          looks++
          return vast(items ?? {})
        },
      })
    }
    const validate = validator(target.schema as never, 'body')
    let problem: unknown
    try {
      validate(vast(target.schema))
    } catch (error) {
      problem = error
    }
    expect(looks).toBeLessThan(5_000)
    // A schema that accepts any text, and treats everything else as absent, can accept it.
    if (!problem) return
    expect(problem).toBeInstanceOf(Problem)
    expect(Object.values((problem as Problem).fields).flat().length).toBeLessThanOrEqual(
      FIELD_ERRORS_MAX,
    )
  })
})
