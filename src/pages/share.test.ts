import { expect, test } from 'vitest'
import { SHOP_STATES } from '../../test/browser/shop-states.ts'
import { STATES } from '../../test/browser/states.ts'
import { otherAssets } from './assets.ts'
import { type PaymentPageView, renderInvoicePage, renderPaymentPage } from './pages.ts'

const CTX = { nonce: 'n', locale: 'en-NG' }
const publicUrl = 'https://pay.example.com'
const tagsOf = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<meta (?:property|name)="((?:og|twitter):\w+)" content="([^"]*)"/g)].map(
      ([, name = '', content = '']) => [name, content],
    ),
  )

test('an invoice’s link preview shows the business and amount but nothing about the customer', () => {
  const view = { ...STATES.open!, publicUrl }
  const tags = tagsOf(renderInvoicePage(view, CTX))
  expect(tags['og:title']).toMatch(/^Pay ₦[\d,.]+ to /)
  expect(tags['og:url']).toBe(`${publicUrl}/i/${view.token}`)
  const said = Object.values(tags).join('\n')
  expect(said).not.toContain(view.invoice.customerName ?? 'nobody')
  expect(said).not.toContain(view.invoice.number)
})

test('a link preview without an image uses a neutral one, with an absolute URL', () => {
  const { logo: _, ...merchant } = STATES.open!.merchant
  const goods = SHOP_STATES['page-goods']!.view as PaymentPageView
  const products = goods.products.map((product) => ({ ...product, pictures: [] }))
  const { image: _image, imageWhole: _whole, ...bare } = goods
  const shared = [
    renderInvoicePage({ ...STATES.open!, merchant, publicUrl }, CTX),
    renderPaymentPage({ ...bare, merchant, products, publicUrl }, CTX),
  ].map(tagsOf)
  for (const tags of shared) {
    const address = tags['og:image']!
    expect(address).toMatch(/^https:\/\/pay\.example\.com\/assets\/share\.[\w-]+\.png$/)
    expect(otherAssets.get(address.split('/').at(-1)!)?.type).toBe('image/png')
    expect(tags['twitter:image']).toBe(address)
  }
})

test('a payment page’s link preview shows its title, description and image, with absolute URLs', () => {
  const goods = SHOP_STATES['page-goods']!.view as PaymentPageView
  const html = renderPaymentPage({ ...goods, publicUrl, image: '/media/1t-2-abc' }, CTX)
  expect(tagsOf(html)).toMatchObject({
    'og:url': `${publicUrl}${goods.path}`,
    'og:image': `${publicUrl}/media/1t-2-abc`,
    'twitter:card': 'summary_large_image',
    'twitter:image': `${publicUrl}/media/1t-2-abc`,
  })
  // A preview in the editor is not shared.
  expect(tagsOf(renderPaymentPage(goods, CTX))).toEqual({})
})
