import { spawnSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { STATES } from '../../test/browser/states.ts'
import { countdown, dialUrl, formatOf, mailUrl, safeUrl } from './format.ts'
import { assets, messageTexts, pageHeaders, renderInvoicePage, renderMessagePage } from './pages.ts'
import { LANGUAGES } from './texts.ts'
import type { InvoiceView } from './views.ts'

const ctx = { nonce: 'n0nce', locale: 'en-NG' }
const render = (view: InvoiceView) => renderInvoicePage(view, ctx)
const state = (name: string) => STATES[name]!
const words = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

describe('the invoice page', () => {
  test.each([
    ['open', ['₦25,000.50', 'Adunni Foods', 'Unpaid', '28 November 2026', '3 × ₦6,500.00']],
    ['overdue', ['Overdue']],
    ['no-way', ['can’t be paid online right now']],
    ['transfer', ['Wema Bank', 'Waiting for your transfer', 'until 14:31', '29:30']],
    ['transfer-fee', ['₦25,475.50', 'includes a fee of ₦475.00']],
    ['ussd', ['*737*000*48211#', 'Guaranty Trust Bank', 'Waiting for your approval']],
    ['failed', ['didn’t go through', 'Insufficient funds', 'How would you like to pay?']],
    ['expired', ['don’t send money to the previous account']],
    ['partly', ['Left to pay', '₦15,000.50', '₦10,000.00 of ₦25,000.50 paid']],
    ['part', ['Amount to pay now', 'or at least ₦100.00']],
    ['part-refused', ['Please pay at least ₦100.00.']],
    ['paid', ['Payment received. Thank you!', 'TRX_9sLx8fK2mQ', '21 November 2026 at 14:02']],
    ['paid-in-parts', ['TRX_9sLx8fK2mQ', 'TRX_rest', '₦15,000.50']],
    ['overpaid', ['You sent ₦25,000.50 more than was due']],
    ['void', ['This invoice was cancelled']],
  ])('%s says what the payer needs', (name, expected) => {
    const text = words(render(state(name)))
    for (const part of expected) expect(text).toContain(part)
  })

  test('shows forms only while there is something to pay', () => {
    for (const name of ['paid', 'void', 'no-way']) expect(render(state(name))).not.toMatch(/<form/)
    expect(render(state('open'))).toContain('action="/i/a1B2c3D4e5F6g7H8/pay"')
  })

  test('offers the simulator only in test mode', () => {
    for (const name of ['transfer', 'ussd']) {
      expect(render(state(name))).not.toMatch(/simulat/i)
      expect(render(state(`${name}-test`))).toContain('/simulate"')
    }
    expect(words(render(state('paid-test')))).toContain('not proof of payment')
  })

  test('listens, and reloads without JavaScript, only while it waits for a payment', () => {
    const has = (name: string) => ({
      live: render(state(name)).includes('data-live='),
      reload: render(state(name)).includes('http-equiv="refresh"'),
    })
    expect(has('transfer')).toEqual({ live: true, reload: true })
    expect(has('open')).toEqual({ live: true, reload: false })
    expect(has('paid')).toEqual({ live: false, reload: false })
    expect(has('void')).toEqual({ live: false, reload: false })
  })

  test('escapes text from merchants and payers', () => {
    const evil = `"><script>alert(1)</script><img src=x onerror='alert(1)'>`
    const view = state('transfer')
    const html = render({
      ...view,
      token: evil,
      version: evil,
      merchant: { name: evil, email: evil, phone: evil, website: 'javascript:alert(1)' },
      invoice: {
        ...view.invoice,
        note: evil,
        customerName: evil,
        lineItems: [{ name: evil, quantity: 2, unitAmountMinor: 1n, amountMinor: 2n }],
      },
      payment: { ...view.payment!, account: { number: evil, name: evil, bankName: evil } },
    })
    expect(html.match(/<script/g)).toHaveLength(1)
    expect(html).not.toMatch(/<img|javascript:/)
    // Quotes end an attribute, so the text must not contain any.
    expect(html).not.toMatch(/"[^"<]*" onerror=/)
  })

  test('contains nothing that the content security policy refuses: no inline script, style or handler', () => {
    for (const view of Object.values(STATES)) {
      const html = render(view)
      expect(html).not.toMatch(/<style|\sstyle=|\son\w+=/)
      expect(html.match(/<script[^>]*>/g)).toEqual([expect.stringContaining('nonce="n0nce"')])
      // The policy does not apply to links, of which there is one, to a provider's page.
      const loaded = html.replace(/<a [^>]*id="card-page"[^>]*>/, '')
      expect(loaded.match(/(?:src|href|action)="https?:[^"]*"/g) ?? []).toEqual([])
    }
  })

  test('formats amounts and dates in the language of the texts', () => {
    const inLocale = (locale: string) => words(renderInvoicePage(state('open'), { ...ctx, locale }))
    expect(inLocale('en-US')).toContain('November 28, 2026')
    expect(inLocale('fr-SN')).toContain('28 novembre 2026')
    expect(inLocale('ha-NE')).toContain('28 Nuwamba, 2026')
    // Benin spells Yoruba differently from our texts.
    expect(inLocale('yo-BJ')).toBe(inLocale('yo-NG'))
    expect(inLocale('yo-NG')).toContain('28 Oṣù Bélú 2026')
    expect(inLocale('ig')).toContain('28 Novemba 2026')
    expect(inLocale('de-DE')).toBe(inLocale('en-NG'))
    expect(inLocale('en-NG-u-nu-beng-ca-buddhist')).toBe(inLocale('en-NG'))
  })

  test('lists every language by its own name and keeps the rest of the query', () => {
    const html = renderInvoicePage(state('part'), { ...ctx, locale: 'ha-NG', query: 'amount=5&b=' })
    const links = [...html.matchAll(/<a href="([^"]*lang=[^"]*)" (.*?)>(.*?)<\/a>/g)]
    expect(links.map(([, href, , name]) => [href, name])).toEqual([
      ['?amount=5&amp;b=&amp;lang=en', 'English'],
      ['?amount=5&amp;b=&amp;lang=fr', 'Français'],
      ['?amount=5&amp;b=&amp;lang=ha', 'Hausa'],
      ['?amount=5&amp;b=&amp;lang=yo', 'Yorùbá'],
      ['?amount=5&amp;b=&amp;lang=ig', 'Igbo'],
    ])
    expect(links.map(([, , rest]) => rest!.includes('aria-current="true"'))).toEqual([
      false,
      false,
      true,
      false,
      false,
    ])
    expect(html).toContain('<html lang="ha">')
  })

  test('uses each id once', () => {
    for (const [name, view] of Object.entries(STATES)) {
      const ids = [...render(view).matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
      expect(ids, name).toEqual([...new Set(ids)])
    }
  })

  test('weighs less than 30 kB, including all assets', () => {
    const pages = LANGUAGES.flatMap((locale) =>
      Object.entries(STATES).map(([name, view]) => ({
        name: `${locale} ${name}`,
        bytes: Buffer.byteLength(renderInvoicePage(view, { ...ctx, locale })),
      })),
    )
    const largest = pages.reduce((a, b) => (a.bytes > b.bytes ? a : b))
    const rest = [...assets].map(([name, { bytes }]) => ({
      name,
      bytes: gzipSync(bytes).length,
    }))
    const sum = rest.reduce((total, { bytes }) => total + bytes, largest.bytes)
    console.info('bytes over the wire', sum, [largest, ...rest])
    expect(sum).toBeLessThan(30_000)
  })
})

describe('the message page', () => {
  test.each([400, 404, 405, 409, 410, 429, 500, 503, 418, 599])(
    'the message page has texts for %i',
    (status) => {
      const { title, text } = messageTexts(status, 'en-NG')
      const html = renderMessagePage({ status, title, text, requestId: 'req_<1>' }, ctx)
      expect(words(html)).toContain(title)
      expect(html).toContain('req_&lt;1>')
    },
  )
})

describe('addresses', () => {
  test.each([
    ['https://adunni.example/menu', 'https://adunni.example/menu'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['javascript:alert(1)', undefined],
    [' JaVaScRiPt:alert(1)', undefined],
    ['java\nscript:alert(1)', undefined],
    ['data:text/html,<script>', undefined],
    ['//evil.example', undefined],
    ['https://bank.example@evil.example/', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j becomes %j', (given, expected) => expect(safeUrl(given)).toBe(expected))

  test('a USSD code keeps its stars and its final #', () => {
    expect(dialUrl('*737*000*48211#')).toBe('tel:*737*000*48211%23')
    expect(dialUrl('+234 803 555 0142')).toBe('tel:+2348035550142')
  })

  test('an email address cannot add a subject or a copy', () => {
    expect(mailUrl('a@b.example?bcc=c@d.example')).toBe('mailto:a@b.example%3Fbcc%3Dc%40d.example')
  })
})

describe('formats', () => {
  test('a moment is printed in the time zone, a due date as it is', () => {
    const at = new Date('2026-11-20T23:30:00Z')
    expect(formatOf('NGN', 'en-NG', 'Africa/Lagos').day(at)).toBe('21 November 2026')
    expect(formatOf('NGN', 'en-NG', 'America/New_York').day(at)).toBe('20 November 2026')
    expect(formatOf('NGN', 'en-NG', 'America/New_York').calendarDay('2026-11-21')).toBe(
      '21 November 2026',
    )
  })

  test.each([
    ['en-NG', '21 November 2026 at 09:02', '₦1,234,567.50'],
    ['en-US', 'November 21, 2026 at 9:02 AM', '₦1,234,567.50'],
    ['fr', '21 novembre 2026 à 09:02', '1 234 567,50 ₦'],
    ['ha-NG', '21 Nuwamba, 2026 da 09:02', '₦ 1,234,567.50'],
    ['yo-NG', '21 Oṣù Bélú 2026 ní 9:02', '₦1,234,567.50'],
    ['ig-NG', '21 Novemba 2026 na 09:02', '₦1,234,567.50'],
  ])('in %s a moment is %s and an amount is %s', (locale, moment, amount) => {
    const format = formatOf('NGN', locale, 'Africa/Lagos')
    const at = new Date('2026-11-21T08:02:00Z')
    const plain = (text: string) => text.replace(/\s/g, ' ')
    expect(plain(format.dayAndTime(at))).toBe(moment)
    expect(moment).toContain(plain(format.time(at)))
    expect(plain(format.amount(123_456_750n))).toBe(amount)
  })

  test.each([
    [0, '0:00'],
    [-5_000, '0:00'],
    [500, '0:01'],
    [59_000, '0:59'],
    [1_770_000, '29:30'],
    [3_600_000, '1:00:00'],
    [28_799_000, '7:59:59'],
  ])('%i ms are printed as %s', (ms, shown) => {
    const now = new Date('2026-11-21T12:00:00Z')
    expect(countdown(new Date(now.getTime() + ms), now)).toBe(shown)
  })
})

describe('assets and headers', () => {
  test('an asset’s name contains a hash', () => {
    expect([...assets.keys()].map((name) => name.replace(/\.[\w-]{12}\./, '.#.'))).toEqual([
      'pages.#.css',
      'mailbox.#.css',
      'pages.#.js',
      'icon.#.svg',
    ])
  })

  test('the content security policy allows only our own origin and the nonce', () => {
    const policy = pageHeaders('n0nce')['content-security-policy']
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'nonce-n0nce'")
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
  })

  test('pages load under plain Node, with the loader hook compiling them', () => {
    const script = `
      const { renderMessagePage } = await import('./src/pages/pages.ts')
      const ctx = { nonce: 'n', locale: 'en' }
      console.log(renderMessagePage({ status: 404, title: 'A & B', text: '' }, ctx))`
    const args = ['--input-type=module', '--eval', script]
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(stderr).toBe('')
    expect(stdout).toContain('<h1>A &amp; B</h1>')
  })
})
