import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { assets, assetUrls } from '../pages/assets.ts'
import { localeOf } from './pages.ts'

describe('the locale of a page', () => {
  test.each([
    [undefined, 'en-NG'],
    ['', 'en-NG'],
    ['fr-SN', 'fr-SN'],
    ['FR-sn', 'fr-SN'],
    ['fr', 'fr'],
    ['ha', 'ha-NG'],
    ['en-US,en;q=0.9,yo;q=0.8', 'en-US'],
    ['en;q=0.1,yo', 'yo-NG'],
    ['en;q=0.1, yo ; q=0.2 , ig;q=0.3', 'ig-NG'],
    ['de-DE,de;q=0.9,fr;q=0.5,en;q=0.3', 'fr'],
    ['fr;q=0,ha', 'ha-NG'],
    ['fr;q=2,ha;q=x,ig;q=0.1', 'ig-NG'],
    ['de', 'en-NG'],
    ['*', 'en-NG'],
    ['constructor,__proto__', 'en-NG'],
    [';;;,,q=,\u0000,ééé,-,fr_FR', 'en-NG'],
    [`${'x-'.repeat(5_000)},fr`, 'en-NG'],
    [`fr,${'de;q=0.9,'.repeat(1_200)}`, 'fr'],
  ])('for a browser that requests %j is %s', (asked, locale) => {
    expect(localeOf({ 'accept-language': asked })).toBe(locale)
  })

  test.each([
    ['lang=yo', 'yo-NG'],
    ['a=b; lang=ig; c=d', 'ig-NG'],
    ['lang=fr', 'fr-CA'],
    ['lang=de', 'en-GB'],
    ['lang=constructor', 'en-GB'],
    ['slang=yo', 'en-GB'],
    ['lang=yo%0d', 'en-GB'],
    ['', 'en-GB'],
  ])('after choosing %j is %s', (cookie, locale) => {
    expect(localeOf({ cookie, 'accept-language': 'en-GB,fr-CA;q=0.5' })).toBe(locale)
  })
})

describe('the switch', async () => {
  const server = await startServer()
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(server.url + path, { headers, method, redirect: 'manual' })

  async function invoicePath(): Promise<string> {
    const { body } = await server.post('/api/payment-service/external/v1/invoices', {
      customerEmail: 'chinedu@example.com',
      amount: 25_000,
    })
    return new URL(body.data.hostedUrl).pathname
  }

  test('303 stores the choice and redirects to the same URL without it', async () => {
    const path = await invoicePath()
    const answer = await ask(`${path}?amount=2+500&lang=yo&b=`)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(`${path}?amount=2+500&b=`)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('set-cookie')).toBe(
      'lang=yo; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax',
    )
    expect((await ask(`${path}?lang=fr`, {}, 'HEAD')).headers.get('location')).toBe(path)
  })

  test('200 ignores an unsupported language', async () => {
    const answer = await ask(`${await invoicePath()}?lang=de%0d%0aa:b`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(await answer.text()).toContain('<html lang="en">')
  })

  test('200 in the browser’s language, then the chosen one; caches keep them apart', async () => {
    const path = await invoicePath()
    const french = await ask(path, { 'accept-language': 'fr-SN' })
    expect(french.headers.get('vary')).toBe('accept-language, cookie, accept-encoding')
    expect(french.headers.get('cache-control')).toBe('no-store')
    expect(await french.text()).toContain('<html lang="fr">')
    const chosen = await ask(path, { 'accept-language': 'fr-SN', cookie: 'lang=ig' })
    expect(await chosen.text()).toContain('<html lang="ig">')
  })

  test('200 for a style sheet, which is compressed as the client prefers', async () => {
    const asked = async (encoding: string) => {
      const answer = await ask(assetUrls.style, { 'accept-encoding': encoding })
      return [answer.headers.get('content-encoding'), await answer.text()]
    }
    const [style] = [...assets].filter(([name]) => assetUrls.style.endsWith(name))
    const content = style![1].bytes.toString()
    expect(await asked('gzip, deflate, br')).toEqual(['br', content])
    expect(await asked('gzip, deflate')).toEqual(['gzip', content])
    expect(await asked('identity')).toEqual([null, content])
  })

  test('200 is compressed for clients that accept it, with the same content', async () => {
    const path = await invoicePath()
    const asked = async (encoding: string) => {
      const answer = await ask(path, { 'accept-encoding': encoding })
      return { packed: answer.headers.get('content-encoding'), html: await answer.text() }
    }
    const all = [
      await asked('gzip'),
      await asked('gzip, br'),
      await asked('gzip, br;q=0'),
      await asked('deflate'),
      await asked('gzip;q=0'),
    ]
    expect(all.map(({ packed }) => packed)).toEqual(['gzip', 'br', 'gzip', null, null])
    for (const { html } of all) {
      expect(html).toMatch(/^<!doctype html>.*₦25,000\.00.*<\/html>$/s)
    }
  })

  test('404 is in the payer’s language, and offers the others', async () => {
    const answer = await ask('/i/nosuchtoken', { 'accept-language': 'ha-NG' })
    expect(answer.status).toBe(404)
    const html = await answer.text()
    expect(html).toContain('<h1>Ba mu sami wannan shafin ba</h1>')
    expect(html).toContain('href="?lang=fr"')
  })

  test('303 never redirects to another site', async () => {
    for (const path of ['//evil.example/?lang=fr', '/%5cevil.example?lang=fr', '//i//x?lang=fr']) {
      const to = (await ask(path)).headers.get('location')
      expect(to === null || /^\/[^/\\]/.test(to)).toBe(true)
    }
  })

  test('200 the test mailbox stays in English', async () => {
    const answer = await ask('/mailbox', { 'accept-language': 'fr' })
    expect(answer.status).toBe(200)
    const html = await answer.text()
    expect(html).toContain('<html lang="en">')
    expect(html).not.toContain('lang=fr')
  })
})
