import { expect, test } from 'vitest'
import { SHOP_STATES } from '../../test/browser/shop-states.ts'
import { STATES } from '../../test/browser/states.ts'
import { type PaymentPageView, renderInvoicePage, renderPaymentPage } from './pages.ts'

const CTX = { nonce: 'n', locale: 'en-NG' }
const publicUrl = 'https://pay.example.com'
const tagsOf = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<meta (?:property|name)="((?:og|twitter):\w+)" content="([^"]*)"/g)].map(
      ([, name = '', content = '']) => [name, content],
    ),
  )

test('an invoice is shared with its business and amount, and nothing of its customer', () => {
  const view = { ...STATES.open!, publicUrl }
  const tags = tagsOf(renderInvoicePage(view, CTX))
  expect(tags['og:title']).toMatch(/^Pay ₦[\d,.]+ to /)
  expect(tags['og:url']).toBe(`${publicUrl}/i/${view.token}`)
  const said = Object.values(tags).join('\n')
  expect(said).not.toContain(view.invoice.customerName ?? 'nobody')
  expect(said).not.toContain(view.invoice.number)
})

test('a payment page is shared with title, description and picture, at absolute addresses', () => {
  const goods = SHOP_STATES['page-goods']!.view as PaymentPageView
  const html = renderPaymentPage({ ...goods, publicUrl, image: '/media/1t-2-abc' }, CTX)
  expect(tagsOf(html)).toMatchObject({
    'og:url': `${publicUrl}${goods.path}`,
    'og:image': `${publicUrl}/media/1t-2-abc`,
    'twitter:card': 'summary_large_image',
    'twitter:image': `${publicUrl}/media/1t-2-abc`,
  })
  // A look at a page that is being written is shared by nobody.
  expect(tagsOf(renderPaymentPage(goods, CTX))).toEqual({})
})
