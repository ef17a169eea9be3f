import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { beginHere, type Ended, openHome } from './cli.fixture.ts'

const WEBHOOKS = '/api/user-service/external/v1/webhooks'
const INVOICES = '/api/payment-service/external/v1/invoices'

const server = await startServer()
const { post, get, business, url } = server

const home = await openHome()
const settings = {
  DATA_DIR: server.directory,
  TRADEPOST_URL: url,
  TRADEPOST_KEY: business.keys.testSecret,
}

/** Runs a command against this file's server. Its output can be awaited. */
function tradepost(args: string[], environment: Record<string, string> = {}) {
  return awaited(beginHere(args, { ...settings, ...environment }))
}

/** The same in its own process. */
function tradepostApart(args: string[]) {
  const child = home.begin(args, settings)
  const texts = { stdout: '', stderr: '' }
  child.stdout!.on('data', (bytes) => (texts.stdout += bytes))
  child.stderr!.on('data', (bytes) => (texts.stderr += bytes))
  const ended = once(child, 'close').then(([status]) => ({ status, ...texts }))
  return awaited({ stdin: child.stdin!, texts, ended, interrupt: () => child.kill('SIGINT') })
}

interface Begun {
  stdin: Writable
  texts: { stdout: string; stderr: string }
  ended: Promise<Ended>
  interrupt(): void
}

function awaited({ stdin, texts, ended, interrupt }: Begun) {
  let hasEnded = false
  const closed = ended.then(({ status, stdout: out, stderr: err }) => {
    hasEnded = true
    return { status, out, err }
  })
  return {
    stdin,
    closed,
    /** Waits until the output contains it, limited by the test's timeout. */
    async says(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const found = pattern.exec(texts.stdout + texts.stderr)
        if (found) return found
        if (hasEnded) throw new Error(`it ended: ${texts.stdout}${texts.stderr}`)
        await new Promise((wake) => setTimeout(wake, 20))
      }
    },
    async stop() {
      interrupt()
      return closed
    },
  }
}

/** A program on this machine that receives webhooks. */
async function receiver(status = 200) {
  const got: { headers: IncomingMessage['headers']; body: string }[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    got.push({ headers: request.headers, body: await text(request) })
    response.writeHead(status).end()
  }
  const http = createServer((request, response) => void take(request, response))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  afterAll(() => http.close())
  return { got, port: (http.address() as { port: number }).port }
}

describe('listen and trigger', () => {
  test('0 forward triggered events, signed like webhooks', async () => {
    const { got, port } = await receiver()
    const listening = tradepost(['listen', '--forward-to', `localhost:${port}/hook`])
    const [, secret] = await listening.says(/Signing secret: (whsec_\S+)/)

    const sent = await tradepost(['trigger', 'invoice.paid', '--set', 'data.amount=5000', '--json'])
      .closed
    expect([sent.status, sent.err]).toEqual([0, ''])
    const event = JSON.parse(sent.out)
    await listening.says(new RegExp(`invoice\\.paid +200 .*${event.id}`))

    const { headers, body } = got.find((one) => one.body.includes(event.id))!
    const verified = new Webhook(secret!).verify(body, headers as Record<string, string>)
    expect(verified).toMatchObject({ id: event.id, type: 'invoice.paid', data: { amount: 5000 } })
    expect(Object.keys(JSON.parse(body))).toEqual([
      'id',
      'type',
      'timestamp',
      'mode',
      'businessId',
      'sequence',
      'data',
    ])
    expect((await listening.stop()).status).toBe(0)
  })

  test('0 forward only the chosen events, also those of the API, and report failures', async () => {
    const { got, port } = await receiver(500)
    const to = ['--forward-to', `http://127.0.0.1:${port}/`]
    const listening = tradepost(['listen', ...to, '--events', 'invoice.created'])
    await listening.says(/Signing secret/)
    const { body } = await post(INVOICES, { customerEmail: 'ada@example.com', amount: 5 })
    await listening.says(/invoice\.created +500/)
    expect(JSON.parse(got[0]!.body)).toMatchObject({ data: { reference: body.data.reference } })
    expect(got.every((one) => JSON.parse(one.body).type === 'invoice.created')).toBe(true)
    await listening.stop()
  })

  test('0 forward over a hundred simultaneous events, and end silently with Ctrl-C', async () => {
    const { got, port } = await receiver()
    const listening = tradepostApart(['listen', '--forward-to', `localhost:${port}/hook`])
    await listening.says(/Signing secret/)
    const all = Array.from({ length: 130 }, (_, i) => `EVT_${i}`)
    for (const reference of all) {
      const event = { type: 'invoice.paid', data: { reference } }
      expect((await post('/api/simulator/events', event)).status).toBe(200)
    }
    const missing = () => all.filter((one) => !got.some(({ body }) => body.includes(`"${one}"`)))
    while (missing().length > 0) await new Promise((wake) => setTimeout(wake, 20))
    expect(await listening.stop()).toMatchObject({ status: 0, err: '' })
  })

  test('2 refuse invalid input', async () => {
    const wrong = await Promise.all([
      tradepost(['listen']).closed,
      tradepost(['trigger', 'invoice.paid', '--set', 'data.__proto__.x=1']).closed,
      tradepost(['trigger', 'invoice.paid', '--set', 'amount']).closed,
    ])
    expect(wrong.map(({ status }) => status)).toEqual([2, 2, 2])
    const unknown = await tradepost(['trigger', 'invoice.eaten']).closed
    expect([unknown.status, unknown.err]).toEqual([2, expect.stringContaining('type')])
  })
})

test('1 if no server responds, with a one-line error', async () => {
  const nobody = { TRADEPOST_URL: 'http://127.0.0.1:2' }
  const { status, out, err } = await tradepost(['trigger', 'invoice.paid'], nobody).closed
  expect([status, out]).toEqual([1, ''])
  expect(err).toMatch(/^error: no response: connect ECONNREFUSED 127\.0\.0\.1:2 [^\n]+\n$/)
})

const AT = ['--forward-to', 'localhost:3000/hook']

test.each([
  [['--forward-to', '3000'], 'localhost:3000'],
  [['--forward-to', '3000/hook'], 'localhost:3000'],
  [['--forward-to', 'ftp://localhost/hook'], 'localhost:3000/hook'],
  [['--forward-to', 'http://me:word@localhost/hook'], 'must not contain a user name or password'],
  [['--forward-to', 'http://'], 'localhost:3000/hook'],
  [[...AT, '--secret', 'bad'], 'whsec_'],
  [[...AT, '--secret', 'whsec_'], 'whsec_'],
  [[...AT, '--secret', 'whsec_c2hvcnQ='], '24'],
  [[...AT, '--secret', 'whsec_not*base64*not*base64*not*base64'], 'whsec_'],
])('2 listen %j is refused before any request, with an explanation', async (args, says) => {
  const { status, out, err } = await tradepost(['listen', ...args]).closed
  expect([status, out, err]).toEqual([2, '', expect.stringContaining(says)])
})

test.each([
  [['listen', ...AT, '--events', 'nope.*'], 'no event type matches nope.*'],
  [['events', 'tail', '--events', 'nope.*'], 'no event type matches nope.*'],
  [['trigger', 'nope'], 'type must be an event type'],
  [['logs', 'tail', '--status', 'bad'], 'status'],
])('2 %j names what does not exist', async (args, says) => {
  const { status, out, err } = await tradepost(args).closed
  expect([status, out, err]).toEqual([2, '', expect.stringContaining(says)])
})

test('0 events tail shows events as they happen, and logs tail each request', async () => {
  const before = server.logLines.length
  const events = tradepost(['events', 'tail', '--json', '--events', 'invoice.*'])
  const logs = tradepost(['logs', 'tail', '--operation', 'create_invoice'])
  // Both have started once they have read the existing entries.
  const asked = (operation: string) =>
    server.logLines
      .slice(before)
      .some((line) => line.includes(`"${operation}"`) && line.includes('answered'))
  for (const operation of ['list_events', 'list_requests']) {
    while (!asked(operation)) await new Promise((wake) => setTimeout(wake, 20))
  }
  const { body } = await post(INVOICES, { customerEmail: 'bola@example.com', amount: 7 })
  await events.says(new RegExp(`"invoice.created".*${body.data.reference}`))
  await logs.says(/201 {2}POST {2}\/api\/payment-service\/external\/v1\/invoices/)
  await Promise.all([events.stop(), logs.stop()])
})

test('0 webhooks resend delivers to the other endpoints if one is disabled', async () => {
  const { port } = await receiver()
  const made = async (path: string) => {
    const endpoint = { url: `http://127.0.0.1:${port}/${path}`, events: ['order.paid'] }
    return (await post(WEBHOOKS, endpoint)).body.data
  }
  const [kept, disabled] = [await made('kept'), await made('disabled')]
  const { out } = await tradepost(['trigger', 'order.paid', '--json']).closed
  await server.put(`${WEBHOOKS}/${disabled.reference}`, { status: 'Disabled' })

  const { id } = JSON.parse(out)
  const again = await tradepost(['webhooks', 'resend', id]).closed
  expect([again.status, again.err]).toEqual([0, ''])
  expect(again.out).toMatch(new RegExp(`${kept.reference} +Delivered +200`))
  expect(again.out).toMatch(new RegExp(`${disabled.reference} +Not sent .*Disabled`))
})

test('0 webhooks resend delivers an event again; 1 if no endpoint had it', async () => {
  const { got, port } = await receiver()
  const hook = await post(WEBHOOKS, { url: `http://127.0.0.1:${port}/`, events: ['invoice.paid'] })
  expect(hook.status).toBe(201)
  const { out } = await tradepost(['trigger', 'invoice.paid', '--json']).closed
  const { id } = JSON.parse(out)
  const delivered = () => got.filter(({ headers }) => headers['webhook-id'] === id).length
  while (delivered() < 1) await new Promise((wake) => setTimeout(wake, 20))
  // Until the first attempt is recorded, a second one would only wait for it.
  const delivery = `${WEBHOOKS}/${hook.body.data.reference}/deliveries/${id}`
  await expect.poll(async () => (await get(delivery)).body.data.status).toBe('Delivered')

  const again = await tradepost(['webhooks', 'resend', id]).closed
  expect(again).toMatchObject({ status: 0, err: '', out: expect.stringContaining('Delivered') })
  expect(delivered()).toBeGreaterThanOrEqual(2)

  const { body } = await post(INVOICES, { customerEmail: 'chi@example.com', amount: 7 })
  const { data } = (await get(`/api/user-service/external/v1/events?objectId=${body.data.id}`)).body
  const none = await tradepost(['webhooks', 'resend', data[0].id]).closed
  expect([none.status, none.err]).toEqual([1, expect.stringContaining('no endpoint')])
})

const CLIENT = { name: 'test', version: '1' }

describe('mcp', () => {
  /** Speaks JSON-RPC over standard input and output. */
  async function talk(args: string[], calls: [method: string, params: object][]) {
    const mcp = tradepostApart(['mcp', ...args])
    await mcp.says(/\d+ tools/)
    const send = (message: object) => mcp.stdin.write(`${JSON.stringify(message)}\n`)
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT }
    const all: [string, object][] = [['initialize', hello], ...calls]
    const answers: Record<string, unknown>[] = []
    for (const [id, [method, params]] of all.entries()) {
      send({ jsonrpc: '2.0', id, method, params })
      const [line] = await mcp.says(new RegExp(`^.*"id":${id}[,}].*$`, 'm'))
      answers.push(JSON.parse(line).result)
      if (id === 0) send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    }
    mcp.stdin.end()
    await mcp.stop()
    // biome-ignore lint/suspicious/noExplicitAny: a mistake shows as a failed expectation
    return answers.slice(1) as any[]
  }

  test('0 reads, and has no tool that writes', async () => {
    const [{ tools }, called, missing] = await talk(
      [],
      [
        ['tools/list', {}],
        ['tools/call', { name: 'list_invoices', arguments: { page: 1, limit: 1, sort: 'DESC' } }],
        ['tools/call', { name: 'get_invoice', arguments: { reference: 'INV_none' } }],
      ],
    )
    const names = tools.map(({ name }: { name: string }) => name)
    expect(names.filter((name: string) => name.endsWith('_v1'))).toEqual([])
    expect(names).toContain('list_invoices')
    expect(names.filter((name: string) => /^(create|update|delete|void)_/.test(name))).toEqual([])
    expect(tools.map(({ annotations }: { annotations: object }) => annotations)).toEqual(
      tools.map(() => expect.objectContaining({ readOnlyHint: true })),
    )
    expect(JSON.parse(called.content[0].text)).toMatchObject({ status: 'success' })
    expect(missing).toMatchObject({ isError: true })
  })

  test('0 writes if allowed, each call once', async () => {
    const invoice = { customerEmail: 'ada@example.com', amount: 12.5 }
    const [made] = await talk(
      ['--allow-writes'],
      [['tools/call', { name: 'create_invoice', arguments: invoice }]],
    )
    expect(made.content[0].text).toContain('"success"')
    const { data } = JSON.parse(made.content[0].text)
    expect(data).toMatchObject({ amount: 12.5 })
    const keys = await server.db.many<{ key: string }>`
      select key from idempotency_keys where key like 'mcp-%'`
    expect(keys).toHaveLength(1)
  })

  test('0 responds to every request sent before its input ended', async () => {
    const mcp = tradepostApart(['mcp', '--allow-writes'])
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT }
    const invoice = { customerEmail: 'last@example.com', amount: 7.25 }
    const lines = [
      { id: 0, method: 'initialize', params: hello },
      { method: 'notifications/initialized' },
      { id: 1, method: 'tools/call', params: { name: 'create_invoice', arguments: invoice } },
    ]
    mcp.stdin.end(lines.map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`).join(''))
    const { status, out } = await mcp.closed
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect([status, answers.map(({ id }) => id)]).toEqual([0, [0, 1]])
    expect(JSON.parse(answers[1].result.content[0].text).data).toMatchObject({ amount: 7.25 })
  })

  test('2 without a test key', async () => {
    const live = { TRADEPOST_KEY: business.keys.liveSecret ?? 'sk_live_x' }
    const { status, err } = await tradepost(['mcp'], live).closed
    expect([status, err]).toEqual([2, expect.stringContaining('test key')])
  })
})
