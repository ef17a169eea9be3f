import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'

const { url } = await startServer()
const fetchText = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(url + path, { redirect: 'manual', ...init })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('the dashboard', () => {
  test.each(['/', '/sign-in', '/test', '/test/overview', '/live/invoices/INV_1?status=Paid'])(
    '200 serves the application at %s, with a policy that forbids inline scripts',
    async (path) => {
      const { status, headers, text } = await fetchText(path)
      expect(status).toBe(200)
      expect(headers.get('cache-control')).toBe('no-store')
      const policy = headers.get('content-security-policy')!
      expect(policy).toContain("default-src 'none'; script-src 'self';")
      const [, nonce] = /'nonce-([\w-]+)'/.exec(policy)!
      expect(text).toContain(`content="${nonce}"`)
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=/)
    },
  )

  test('200 for its files, cached for ever; 404 for others', async () => {
    const { text } = await fetchText('/')
    const [, script] = /src="(\/dashboard-assets\/[^"]+\.js)"/.exec(text)!
    const { status, headers, text: code } = await fetchText(script!)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(headers.get('cache-control')).toContain('immutable')
    expect(code.length).toBeGreaterThan(100_000)
    for (const name of ['no.js', 'index.html', '..%2findex.html', '.built-of', 'x.map']) {
      expect((await fetchText(`/dashboard-assets/${name}`)).status).toBe(404)
    }
  })

  const BROWSER = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

  test.each(['/invoices', '/login', '/dashboard', '/settings/payouts?x=1', '/nowhere/at/all'])(
    '404 with the application for %s typed into a browser, with JSON for programs',
    async (path) => {
      const typed = await fetchText(path, BROWSER)
      expect([typed.status, typed.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ])
      expect(typed.text).toContain('/dashboard-assets/')
      expect(typed.headers.get('content-security-policy')).toContain("default-src 'none'")
      const asked = [await fetchText(path), await fetchText(path, { ...BROWSER, method: 'POST' })]
      for (const { status, text } of asked) {
        expect([status, JSON.parse(text).errorCode]).toEqual([404, 'route_not_found'])
      }
    },
  )

  test.each(['/api/invoices', '/console/nothing', '/dashboard-assets/a/b', '/media/a/b/c'])(
    '404 with JSON for %s, which programs use, even in a browser',
    async (path) => {
      const { status, text } = await fetchText(path, BROWSER)
      expect([status, JSON.parse(text).errorCode]).toEqual([404, 'route_not_found'])
    },
  )

  test('404 with a payer page for a payer URL with too many parts', async () => {
    const { status, text } = await fetchText('/i/one/two/three', BROWSER)
    expect(status).toBe(404)
    expect(text).not.toContain('/dashboard-assets/')
  })

  test('200 for the default icon URL', async () => {
    const { status, headers } = await fetchText('/favicon.ico')
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  })

  test('200 for robots.txt, which only excludes the API and the console', async () => {
    const { status, headers, text } = await fetchText('/robots.txt')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(text).toBe('User-agent: *\nDisallow: /api/\nDisallow: /console/\n')
  })

  test('gives each visit its own nonce', async () => {
    const [one, other] = await Promise.all([fetchText('/'), fetchText('/')])
    expect(one.headers.get('content-security-policy')).not.toBe(
      other.headers.get('content-security-policy'),
    )
  })
})
