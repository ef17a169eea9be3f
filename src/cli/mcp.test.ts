import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { type Fault, flakyProxy } from '../../test/sdk/flaky.ts'
import { clientOf } from './client.fixture.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'

const server = await startServer()
const { get, business, url } = server
const { tradepost, tradepostApart } = await clientOf(server)

const CLIENT = { name: 'test', version: '1' }

describe('mcp', () => {
  /** Speaks JSON-RPC over standard input and output. */
  async function talk(
    args: string[],
    calls: [method: string, params: object][],
    environment: Record<string, string> = {},
  ) {
    const mcp = tradepostApart(['mcp', ...args], environment)
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
    const descriptions = tools.map(({ description }: { description: string }) => description)
    expect(descriptions.join()).not.toMatch(/restricted key|Also available/)
    expect(JSON.parse(called.content[0].text)).toMatchObject({ status: 'success' })
    expect(missing).toMatchObject({ isError: true })
    expect(JSON.parse(missing.content[0].text)).toMatchObject({ status: 'error' })
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

  test('0 repeats a write whose response is lost, with its key, and names the key', async () => {
    const proxy = await flakyProxy(url)
    const invoice = { customerEmail: 'lost@example.com', amount: 91.25 }
    const repeated = { name: 'create_invoice', arguments: { ...invoice, idempotencyKey: 'mine' } }
    const refused = { name: 'create_invoice', arguments: { ...invoice, amount: '10.001' } }
    // The first request is for the API's description.
    const lost: Fault[] = ['cut after', 'cut before', 'cut inside', 'cut before']
    proxy.faults.push('pass', ...lost, 'cut after')
    const [failed, made, again, wrong] = await talk(
      ['--allow-writes'],
      [
        ['tools/call', { name: 'create_invoice', arguments: invoice }],
        ['tools/call', repeated],
        ['tools/call', repeated],
        ['tools/call', refused],
      ],
      { TRADEPOST_URL: proxy.url },
    )
    const keys = proxy.seen.map(({ key }) => key)
    expect(keys.slice(1, 5)).toEqual(lost.map(() => expect.stringMatching(/^mcp-/)))
    expect(new Set(keys.slice(1, 5)).size).toBe(1)
    expect(failed).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringContaining('did not respond') },
        { text: expect.stringContaining(`"idempotencyKey": "${keys[1]}"`) },
      ],
    })
    expect(keys.slice(5, 8)).toEqual(['mine', 'mine', 'mine'])
    expect(again).toEqual(made)
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.any(String) }] })
    expect(wrong.content).toHaveLength(1)
    const found = (await get(`${INVOICES}?search=lost@example.com`)).body.data
    expect(found.map(({ amount }: { amount: number }) => amount)).toEqual([91.25, 91.25])
  })

  test('0 says at once why a call must wait', async () => {
    const proxy = await flakyProxy(url)
    const busy = (seconds: number, message: string): Fault => ({
      status: 503,
      headers: { 'retry-after': `${seconds}` },
      body: JSON.stringify({ message }),
    })
    proxy.faults.push('pass', busy(1, 'Busy.'), busy(30, 'Read-only.'))
    const call = {
      name: 'create_invoice',
      arguments: { customerEmail: 'a@example.com', amount: 1 },
    }
    const environment = { TRADEPOST_URL: proxy.url }
    const [refused] = await talk(['--allow-writes'], [['tools/call', call]], environment)
    const text = (said: string) => ({ text: expect.stringContaining(said) })
    expect(refused.content).toEqual([
      expect.objectContaining(text('Read-only.')),
      expect.objectContaining(text(`"idempotencyKey": "${proxy.seen[1]!.key}"`)),
    ])
    expect(proxy.seen).toHaveLength(3)
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
