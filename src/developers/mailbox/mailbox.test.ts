import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { smtpAt } from '../../../test/mail-server.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'

const server = await startServer({ jobs: false })
const { url, post } = server

const evil = '<script>alert(1)</script>'
const { body } = await post(INVOICES, {
  customerEmail: 'bola@example.com',
  customerName: evil,
  amount: 10_000,
  note: evil,
})
await server.runJob('mail')

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { headers, redirect: 'manual' })

/** With headers that `fetch` does not allow. */
const statusWith = (path: string, headers: Record<string, string>) =>
  new Promise<number | undefined>((done, fail) => {
    const call = request(url + path, { headers, agent: false }, (answer) => {
      answer.resume()
      done(answer.statusCode)
    })
    call.on('error', fail).end()
  })

const pathOf = async () => {
  const html = await (await get('/mailbox')).text()
  return /href="(\/mailbox\/[0-9a-z]+t-[0-9a-z]+)"/.exec(html)![1]!
}

describe('the mailbox', () => {
  test('200 without SMTP: a mail is captured, and its invoice shows that', async () => {
    const { body: shown } = await server.get(`${INVOICES}/${body.data.reference}`)
    expect(shown.data.emailStatus).toBe('Captured')
  })

  test('200 lists the captured mails', async () => {
    const answer = await get('/mailbox')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const html = await answer.text()
    expect(html).toContain(`${body.data.invoiceNumber} from Ada Ventures: ₦10,000.00`)
    expect(html).toContain('bola@example.com')
    expect(html).toContain('Not sent')
  })

  test('200 shows a mail, with its body in a sandboxed frame', async () => {
    const path = await pathOf()
    const answer = await get(path)
    expect(answer.status).toBe(200)
    const html = await answer.text()
    expect(html).toContain(`src="${path}/html"`)
    expect(html).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"')
    expect(html).toContain(body.data.hostedUrl)
    expect(html).not.toContain(evil)
    expect(answer.headers.get('content-security-policy')).toContain("frame-src 'self'")
  })

  test('200 shows the body itself, without permissions', async () => {
    const answer = await get(`${await pathOf()}/html`)
    expect(answer.status).toBe(200)
    const policy = answer.headers.get('content-security-policy')
    expect(policy).toMatch(
      /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/,
    )
    expect(policy).not.toMatch(/allow-(scripts|same-origin)|script-src/)
    expect(policy).toMatch(/img-src 'self';/)
    expect(await answer.text()).not.toContain(evil)
  })

  test.each(['/mailbox/x', '/mailbox/1t-zzzz', '/mailbox/1t-1/html', '/mailbox/..%2f'])(
    '404 %s',
    async (path) => {
      expect((await get(path)).status).toBe(404)
    },
  )

  test.each(['X-Forwarded-For', 'Forwarded', 'CF-Connecting-IP', 'Via'])(
    '404 for requests through a proxy (%s)',
    async (header) => {
      for (const path of ['/mailbox', await pathOf(), `${await pathOf()}/html`]) {
        expect(await statusWith(path, { [header]: '127.0.0.1' })).toBe(404)
      }
    },
  )

  test('404 under a name that only points to this machine', async () => {
    for (const host of [
      'rebound.example:4000',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
    ]) {
      expect(await statusWith('/mailbox', { host })).toBe(404)
    }
    for (const host of ['localhost:4000', '127.0.0.1', '[::1]:4000']) {
      expect(await statusWith('/mailbox', { host })).toBe(200)
    }
  })

  test('405 for a POST', async () => {
    expect((await fetch(`${url}/mailbox`, { method: 'POST' })).status).toBe(405)
  })
})

test('404 with an SMTP server', async () => {
  const other = await startServer({ jobs: false, smtp: smtpAt(1) })
  expect((await fetch(`${other.url}/mailbox`)).status).toBe(404)
  await other.close()
})
