import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { SHOP_STATES } from '../../test/browser/shop-states.ts'
import {
  accentStyle,
  assets,
  type CheckoutView,
  type PaymentPageView,
  renderCheckoutPage,
  renderPaymentPage,
} from './pages.ts'
import { LANGUAGES } from './texts.ts'

const ctx = { nonce: 'bm9uY2U', locale: 'en-NG' }
const pageOf = (name: string) => SHOP_STATES[name]!.view as PaymentPageView
const checkoutOf = (name: string) => SHOP_STATES[name]!.view as CheckoutView

test('each id is used once in every state', () => {
  for (const [name, { html }] of Object.entries(SHOP_STATES)) {
    const ids = [...html(ctx).matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id)
    expect(ids, name).toEqual([...new Set(ids)])
  }
})

test('every state weighs less than 30 kB, including everything but images', () => {
  const states = Object.values(SHOP_STATES)
  const sizes = LANGUAGES.flatMap((locale) =>
    states.map(({ html }) => Buffer.byteLength(html({ ...ctx, locale }))),
  )
  const rest = [...assets.values()].reduce((sum, { bytes }) => sum + gzipSync(bytes).length, 0)
  const accent = Buffer.byteLength(accentStyle('0b7a4b.css')!)
  expect(Math.max(...sizes) + rest + accent).toBeLessThan(30_000)
})

test('live mode has no simulator, and test mode is labelled', () => {
  for (const [name, { view, html }] of Object.entries(SHOP_STATES)) {
    expect([name, html(ctx).includes('/simulate')]).toEqual([name, view.test && isWaiting(view)])
    expect([name, html(ctx).includes('test-banner')]).toEqual([name, view.test])
  }
})

test('a refunded payment is not confirmed as paid', () => {
  const html = SHOP_STATES['checkout-given-back']!.html(ctx)
  expect(html).toContain('<h2 id="receipt">Refunded</h2>')
  expect(html).not.toContain('Payment received. Thank you!')
  expect(html).not.toContain('seal good')
})

test('a checkout cancelled by the business says so, and how to contact the business', () => {
  const { html, view } = SHOP_STATES['checkout-cancelled-by-business']!
  const { name, email } = view.merchant
  const [, panel = ''] = /id="pay">(.*?)<section/s.exec(html(ctx)) ?? []
  expect(panel).toContain(`This payment was cancelled by ${name}`)
  expect(panel).toContain(`href="mailto:${email}"`)
  expect(panel).not.toContain('id="again"')
  const { email: _email, phone: _phone, website: _website, ...merchant } = view.merchant
  const bare = renderCheckoutPage({ ...(view as CheckoutView), merchant }, ctx)
  expect(bare).toContain(`Ask ${name} for a new payment link.`)
})

test('no heading skips a level', () => {
  for (const [name, { html }] of Object.entries(SHOP_STATES)) {
    const levels = [...html(ctx).matchAll(/<h([1-6])/g)].map(([, level]) => Number(level))
    const skipped = levels.filter((level, i) => level > (levels[i - 1] ?? 0) + 1)
    expect([name, skipped]).toEqual([name, []])
  }
})

const isWaiting = (view: CheckoutView | PaymentPageView) =>
  'payment' in view && view.payment?.outcome === 'Pending'

test('texts from merchants and payers are escaped, and unsafe URLs are dropped', () => {
  const bad = '<img src=x onerror=alert(1)>"\''
  const page = renderPaymentPage(
    {
      ...pageOf('page-goods'),
      title: bad,
      description: bad,
      values: { email: bad, address: bad, 'f-child': bad },
    },
    ctx,
  )
  const paid = checkoutOf('checkout-paid')
  const checkout = renderCheckoutPage(
    {
      ...paid,
      returnUrl: 'javascript:alert(1)',
      page: { title: bad, successMessage: bad, color: 'red;}*{display:none' },
      answers: [{ label: bad, value: bad }],
    },
    ctx,
  )
  for (const html of [page, checkout]) {
    expect(html).not.toContain('<img src=x')
    expect(html).not.toMatch(/href="javascript:|<[^<>"]*\sstyle=/)
  }
  expect(checkout).not.toContain('display:none')
})

describe('the accent', () => {
  const colors = ['000000', 'ffffff', 'ffee00', '0b7a4b', '7f7f7f', 'ff0000', '00ffff', '1c1c80']

  test.each(colors)('is readable as #%s on every background, light and dark', (color) => {
    const css = accentStyle(`${color}.css`)!
    const [light = '', dark = ''] = css.split('@media')
    const grounds = { light: ['fffefb', 'f6f3ec', 'f4f0e6'], dark: ['1d1b17', '13120f', '26231d'] }
    for (const [rule, own] of [
      [light, grounds.light],
      [dark, grounds.dark],
    ] as const) {
      const accent = inkOf(rule, 'accent')
      for (const ground of [...own, inkOf(rule, 'accent-wash'), inkOf(rule, 'on-accent')]) {
        expect(contrast(accent, ground)).toBeGreaterThanOrEqual(4.5)
      }
      expect(
        contrast(inkOf(rule, 'accent-press'), inkOf(rule, 'on-accent')),
      ).toBeGreaterThanOrEqual(4.5)
    }
  })

  test('accepts only colours', () => {
    for (const name of ['red.css', 'fff.css', '0b7a4b', '0b7a4b.css/..', 'zzzzzz.css']) {
      expect(accentStyle(name)).toBeUndefined()
    }
  })
})

const inkOf = (rule: string, name: string) => new RegExp(`--${name}:#([0-9a-f]{6})`).exec(rule)![1]!

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

function luminance(hex: string): number {
  const parts = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  const [r = 0, g = 0, b = 0] = parts.map((one) =>
    one <= 0.040_45 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
