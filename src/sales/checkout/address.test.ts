import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { openShop } from './checkout.fixture.ts'

const server = await startServer()
const { url } = server

const post = async (path: string, form: Record<string, string> = {}) => {
  const body = new URLSearchParams(form)
  const response = await fetch(`${url}${path}`, { method: 'POST', body, redirect: 'manual' })
  return { status: response.status, html: await response.text() }
}
const look = async (path: string) => (await fetch(`${url}${path}`)).text()
const BANK = { channel: 'BANK_TRANSFER' }

describe('the delivery address', () => {
  test('303 is requested before payment if the API request gave none', async () => {
    const shop = await openShop(server)
    const products = [{ productId: await shop.product(), quantity: 1 }]
    const { accessCode, orderReference, reference } = await shop.begun({ products })
    const page = `/checkout/${accessCode}`
    expect(await look(page)).toContain('Where should it be delivered?')
    expect((await post(`${page}/pay`, BANK)).status).toBe(303)
    expect(await look(page)).not.toContain('Account number')

    for (const address of ['', ' ', '\u200b', '\u3164', 'a'.repeat(1_001)]) {
      const { status, html } = await post(`${page}/address`, { address })
      expect([status, html]).toEqual([400, expect.stringContaining('Enter an address')])
    }
    const sent = await post(`${page}/address`, { address: '1 Allen Avenue, Ikeja' })
    expect(sent.status).toBe(303)
    expect(await look(page)).toContain('How would you like to pay?')
    expect((await shop.order(orderReference)).delivery.address).toBe('1 Allen Avenue, Ikeja')
    expect((await shop.seen(reference)).shippingAddress).toBe('1 Allen Avenue, Ikeja')
    await post(`${page}/pay`, BANK)
    expect(await look(page)).toContain('Account number')
  })

  test('201 is taken from the API, under either name, and not requested again', async () => {
    const shop = await openShop(server)
    const products = [{ productId: await shop.product(), quantity: 1 }]
    for (const name of ['shippingAddress', 'deliveryAddress']) {
      const begun = await shop.begun({ products, [name]: '2 Marina' })
      expect(await look(`/checkout/${begun.accessCode}`)).toContain('How would you like to pay?')
      expect(await shop.seen(begun.reference)).toMatchObject({ shippingAddress: '2 Marina' })
    }
    const both = { shippingAddress: '2 Marina', deliveryAddress: '3 Marina' }
    const { status, body } = await shop.begin({ products, ...both })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['deliveryAddress']])
  })

  test('400 for an address of white space; 201 trims the white space around it', async () => {
    const shop = await openShop(server)
    const products = [{ productId: await shop.product(), quantity: 1 }]
    for (const name of ['shippingAddress', 'deliveryAddress']) {
      for (const blank of ['   ', '\n\t', '\u00a0\u200b', '\u3164']) {
        const { status, body } = await shop.begin({ products, [name]: blank })
        expect([status, body.errors]).toEqual([400, { [name]: ['must not be blank'] }])
      }
      const { reference } = await shop.begun({ products, [name]: ' 2 Marina,\nLagos \n' })
      expect((await shop.seen(reference)).shippingAddress).toBe('2 Marina,\nLagos')
    }
    const both = { shippingAddress: '2 Marina', deliveryAddress: '2 Marina ' }
    expect((await shop.begin({ products, ...both })).status).toBe(201)
  })

  test('200 keeps account numbers for API clients that show their own page', async () => {
    const shop = await openShop(server)
    const products = [{ productId: await shop.product(), quantity: 1 }]
    const { reference } = await shop.begun({ products })
    await shop.paid(reference)
    expect(await shop.seen(reference)).toMatchObject({ state: 'Paid', shippingAddress: null })
  })

  test('200 is not requested if nothing is delivered', async () => {
    const shop = await openShop(server)
    const products = [{ productId: await shop.product({ type: 'digital' }), quantity: 1 }]
    const { accessCode } = await shop.begun({ products })
    expect(await look(`/checkout/${accessCode}`)).toContain('How would you like to pay?')
  })
})
