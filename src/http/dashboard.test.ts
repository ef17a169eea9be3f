import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'

const { url } = await startServer()
const fetchText = async (path: string) => {
  const answer = await fetch(url + path, { redirect: 'manual' })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('the dashboard', () => {
  test.each(['/', '/sign-in', '/test', '/test/overview', '/live/invoices/INV_1?status=Paid'])(
    '200 the application at %s, under a policy without inline scripts',
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

  test('200 its files, which are kept for ever; 404 others', async () => {
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

  test('gives each visit a nonce of its own', async () => {
    const [one, other] = await Promise.all([fetchText('/'), fetchText('/')])
    expect(one.headers.get('content-security-policy')).not.toBe(
      other.headers.get('content-security-policy'),
    )
  })
})
