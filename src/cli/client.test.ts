import { once } from 'node:events'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { type Fault, flakyProxy } from '../../test/sdk/flaky.ts'
import { clientOf, receiver } from './client.fixture.ts'

const WEBHOOKS = '/api/user-service/external/v1/webhooks'
const INVOICES = '/api/payment-service/external/v1/invoices'

const server = await startServer()
const { post, get, url } = server
const { tradepost, tradepostApart, begin } = await clientOf(server)

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

  test('0 trigger sets a place in a list that was set before', async () => {
    const items = '[{"name":"Chair","quantity":1},{"name":"Table","quantity":1}]'
    const sets = [
      `lineItems=${items}`,
      'lineItems.0.name=Bench',
      'data.lineItems.2={"name":"Lamp"}',
    ]
    const args = sets.flatMap((one) => ['--set', one])
    const { status, out } = await tradepost(['trigger', 'invoice.paid', ...args, '--json']).closed
    expect([status, JSON.parse(out).data.lineItems]).toEqual([
      0,
      [{ name: 'Bench', quantity: 1 }, { name: 'Table', quantity: 1 }, { name: 'Lamp' }],
    ])
  })

  test.each([
    [['lineItems.0.name=X'], "--set 'data.lineItems=[{…}]'"],
    [['lineItems=[]', 'lineItems.name=X'], 'data.lineItems is a list of 0, and has no place name'],
    [['lineItems=[1]', 'lineItems.2=X'], 'data.lineItems is a list of 1, and has no place 2'],
  ])('2 trigger refuses to set %j, which would replace or lose a list', async (sets, says) => {
    const args = sets.flatMap((one) => ['--set', one])
    const { status, out, err } = await tradepost(['trigger', 'invoice.paid', ...args]).closed
    expect([status, out, err]).toEqual([2, '', expect.stringContaining(says)])
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

describe('in an outage', () => {
  /** More than a request and its retries. */
  const outage: Fault[] = Array.from({ length: 5 }, () => 'cut before')
  const says = /^The connection to .* failed .* Trying again until the server responds\.\n$/

  test('0 listen waits, and then forwards what happened in the meantime', async () => {
    const { got, port } = await receiver()
    const proxy = await flakyProxy(url)
    const args = ['listen', '--forward-to', `localhost:${port}/hook`, '--events', 'invoice.created']
    const listening = tradepost(args, { TRADEPOST_URL: proxy.url })
    await listening.says(/Signing secret/)
    proxy.faults.push(...outage)
    await expect.poll(() => proxy.faults.length, { timeout: 30_000 }).toBeLessThan(outage.length)
    const { body } = await post(INVOICES, { customerEmail: 'outage@example.com', amount: 5 })
    await listening.says(/invoice\.created +200/)
    expect(got.map((one) => JSON.parse(one.body).data.reference)).toEqual([body.data.reference])
    expect(await listening.stop()).toMatchObject({ status: 0, err: expect.stringMatching(says) })
  })

  test('0 logs tail waits, and then shows the requests of the meantime', async () => {
    const proxy = await flakyProxy(url)
    const args = ['logs', 'tail', '--operation', 'create_invoice']
    const logs = tradepost(args, { TRADEPOST_URL: proxy.url })
    // The second request is sent once the first has its response.
    await expect.poll(() => proxy.seen.length, { timeout: 30_000 }).toBeGreaterThan(1)
    proxy.faults.push(...outage)
    await expect.poll(() => proxy.faults.length, { timeout: 30_000 }).toBeLessThan(outage.length)
    await post(INVOICES, { customerEmail: 'outage@example.com', amount: 6 })
    await logs.says(/201 {2}POST {2}\/api\/payment-service\/external\/v1\/invoices/)
    expect(await logs.stop()).toMatchObject({ status: 0, err: expect.stringMatching(says) })
  })

  test('1 events tail ends if the key is revoked', async () => {
    const proxy = await flakyProxy(url)
    const tail = tradepost(['events', 'tail'], { TRADEPOST_URL: proxy.url })
    await expect.poll(() => proxy.seen.length, { timeout: 30_000 }).toBeGreaterThan(0)
    proxy.faults.push({ status: 401, body: '{"message":"Revoked."}' })
    expect(await tail.closed).toMatchObject({ status: 1, err: 'error: Revoked.\n' })
  })
})

test('0 events tail ends when nothing reads its output any more', async () => {
  const proxy = await flakyProxy(url)
  const child = begin(['events', 'tail'], { TRADEPOST_URL: proxy.url })
  const ended = once(child, 'exit')
  await expect.poll(() => proxy.seen.length, { timeout: 30_000 }).toBeGreaterThan(1)
  child.stdout!.destroy()
  await post(INVOICES, { customerEmail: 'head@example.com', amount: 8 })
  expect(await ended).toEqual([0, null])
})

test('1 webhooks resend reports each endpoint, also after one that fails', async () => {
  const { port } = await receiver()
  const made = async (address: string) => {
    const endpoint = { url: `http://127.0.0.1:${address}`, events: ['refund.failed'] }
    return (await post(WEBHOOKS, endpoint)).body.data.reference
  }
  const refusing = await made('1/')
  const kept = await made(`${port}/kept`)
  const unknown = await made(`${port}/unknown`)
  const { out } = await tradepost(['trigger', 'refund.failed', '--json']).closed
  const proxy = await flakyProxy(url)
  // The newest endpoint is the first in the list.
  proxy.faults.push('pass', { status: 500, body: '{"message":"Out of order."}' })

  const args = ['webhooks', 'resend', JSON.parse(out).id]
  const again = await tradepost(args, { TRADEPOST_URL: proxy.url }).closed
  expect([again.status, again.err]).toEqual([1, ''])
  expect(again.out).toMatch(new RegExp(`${unknown} +Unknown +- +Out of order\\.`))
  expect(again.out).toMatch(new RegExp(`${kept} +Delivered +200`))
  expect(again.out).toMatch(new RegExp(`${refusing} +Pending +- +\\S`))
})

test('1 webhooks resend ends when the server does not respond, and says what it has done', async () => {
  const { port } = await receiver()
  const made = async (path: string) => {
    const endpoint = { url: `http://127.0.0.1:${port}/${path}`, events: ['refund.processed'] }
    return (await post(WEBHOOKS, endpoint)).body.data.reference
  }
  const [, , newest] = [await made('one'), await made('two'), await made('three')]
  const { out } = await tradepost(['trigger', 'refund.processed', '--json']).closed
  const proxy = await flakyProxy(url)
  const silent: Fault[] = Array.from({ length: 4 }, () => 'cut before')
  proxy.faults.push('pass', 'pass', ...silent)

  const args = ['webhooks', 'resend', JSON.parse(out).id, '--server', proxy.url]
  const resent = await tradepost(args).closed
  expect([resent.status, resent.err]).toEqual([1, expect.stringMatching(/^error: no response: /)])
  expect(resent.out.trim().split('\n')).toHaveLength(2)
  expect(resent.out).toMatch(new RegExp(`${newest} +Delivered +200`))
  expect(proxy.seen).toHaveLength(2 + silent.length)
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
