import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  ConfigurationError,
  type Invoice,
  type List,
  type PageMeta,
  type ResponseInfo,
  Tradepost,
} from '../../sdk/src/index.ts'
import { partnersOf } from '../../src/business/partners/partners.fixture.ts'
import { startServer } from '../harness.ts'

const server = await startServer()
const { url: baseUrl, business } = server
const key = business.keys.testSecret
const tradepost = new Tradepost({ key, baseUrl })
const order = { customerEmail: 'ada@example.com', amount: '5100.50', note: 'Two chairs' }

describe('the client', () => {
  test('returns the record: 201 creates, 200 gets, updates, sends and voids', async () => {
    const made = await tradepost.invoices.create({ ...order, sendImmediately: false })
    expect(made).toMatchObject({ amount: 5100.5, status: 'Draft', amountMinor: 510_050 })
    const { reference } = made
    expect(await tradepost.invoices.get(reference)).toEqual(made)
    const changed = await tradepost.invoices.update(reference, { note: null, amount: 7 })
    expect(changed).toMatchObject({ amount: 7, note: null })
    expect((await tradepost.invoices.send(reference)).status).toBe('Sent')
    expect((await tradepost.invoices.void(reference)).status).toBe('Void')
  })

  test('200 keeps fields next to the record, such as the session of a USSD payment', async () => {
    const begun = await tradepost.transactions.createUssd({ channel: 'USSD', amount: 1000 })
    expect(begun.transactionIdForSession).toBe(begun.transactionId)
    const { id } = await tradepost.transactions.fetch(begun.transactionId)
    expect(id).toBe(begun.transactionId)
    const paid = async () => (await tradepost.transactions.verify(begun.reference)).status
    await expect.poll(paid, { timeout: 30_000 }).toBe('Successful')
  })

  test('200 returns the record of a subaccount, with its own status', async () => {
    const made = await tradepost.subaccounts.create({
      business_name: 'Rider',
      account_number: '0123456789',
      percentage_charge: 10,
      bank: 58,
    })
    expect(made).toEqual(await tradepost.subaccounts.get(made.subaccount_code))
    expect(made.status).toBe('Active')
  })

  test('201 returns a body without data unchanged', async () => {
    const page = await tradepost.splitPages.create({ name: 'Rides' })
    const rider = await tradepost.subaccounts.create({
      business_name: 'Driver',
      account_number: '0123456790',
      percentage_charge: 0,
      bank: '058',
    })
    const share = { shere: 33, sub_account_id: rider.subaccount_code }
    expect(await tradepost.splitPages.addSubaccount(page.id, share)).toEqual({
      share: 33,
      subaccount: rider.subaccount_code,
    })
    const product = await tradepost.products.create({ name: 'Chair', price: 5000 })
    const fee = { productId: product.productId, location: 'Lagos', fees: '1500.00' }
    expect(await tradepost.deliveryFees.add(fee)).toEqual({ message: expect.any(String) })
  })

  test('200 accepts query parameters with the caller’s own names', async () => {
    const options = [{ name: 'Size', values: ['M', 'L'] }]
    const { productId } = await tradepost.products.create({ name: 'Shirt', price: 7500, options })
    const { data } = await tradepost.products.filterVariants({ productId, Size: 'M' })
    expect(data.map(({ optionValues }) => optionValues)).toEqual([{ Size: 'M' }])
  })

  test('200 returns a file as the fetch response', async () => {
    const { reference, invoiceNumber } = await tradepost.invoices.create(order)
    const pdf = await tradepost.invoices.getPdf(reference)
    expect(pdf.headers.get('content-type')).toBe('application/pdf')
    const bytes = new Uint8Array(await pdf.arrayBuffer())
    expect(new TextDecoder().decode(bytes.subarray(0, 5))).toBe('%PDF-')
    const csv = await (await tradepost.invoices.export({ search: invoiceNumber })).text()
    expect(csv.trim().split('\r\n')).toHaveLength(2)
  })

  test('200 uploads one or more files, and images as JSON', async () => {
    const { productId } = await tradepost.products.create({
      name: 'Guide',
      price: 1,
      type: 'digital',
    })
    const one = await tradepost.digitalFiles.add({
      productId,
      file: new File(['Read me.'], 'guide — α.txt', { type: 'text/plain' }),
    })
    expect(one).toMatchObject({ name: 'guide — α.txt', bytes: 8 })
    const files = [new File(['a'], 'a.txt'), new File(['bc'], 'b.txt')]
    const both = await tradepost.digitalFiles.add({ productId, file: files })
    expect(both.files).toHaveLength(2)
    expect(await tradepost.digitalFiles.list({ productId }).toArray()).toHaveLength(3)

    const base64 = await picture()
    const file = new Blob([Buffer.from(base64, 'base64')])
    expect(await tradepost.products.addMedia({ productId, file })).toMatchObject({ width: 8 })
    expect(await tradepost.products.addMedia({ productId, base64 })).toMatchObject({ width: 8 })
  })

  test('200 escapes the parts of a path', async () => {
    for (const reference of ['', '.', '..', undefined, null, {}] as string[]) {
      await expect(tradepost.invoices.get(reference)).rejects.toBeInstanceOf(ConfigurationError)
    }
    const odd = tradepost.invoices.get('../invoices?limit=1#x')
    await expect(odd).rejects.toMatchObject({ status: 404 })
  })

  test('200 passes the status and headers to onResponse', async () => {
    const heard: ResponseInfo[] = []
    const options = {
      onResponse: (one: ResponseInfo) => void heard.push(one),
      idempotencyKey: 'k-1',
    }
    await tradepost.invoices.create(order, options)
    await tradepost.invoices.create(order, options)
    expect(heard).toMatchObject([
      { status: 201, attempts: 1, isReplayed: false, idempotencyKey: 'k-1' },
      { status: 201, attempts: 1, isReplayed: true, idempotencyKey: 'k-1' },
    ])
    expect(heard[0]!.requestId).not.toBe(heard[1]!.requestId)
    expect(heard[0]!.headers.get('x-request-id')).toBe(heard[0]!.requestId)
  })

  test('200 sends custom headers, a key from a function, and a business id', async () => {
    const sent: Headers[] = []
    const spying: typeof fetch = async (input, init) => {
      sent.push(new Headers(init?.headers))
      return fetch(input, { ...init, headers: { authorization: `Bearer ${key}` } })
    }
    const other = new Tradepost({
      key: async () => `${key}`,
      baseUrl: `${baseUrl}//`,
      businessId: 101,
      fetch: spying,
      headers: { 'x-of-client': 'a' },
    })
    await other.profile.get({ headers: { 'x-of-call': 'b' } })
    expect(Object.fromEntries(sent[0]!)).toEqual({
      authorization: `Bearer ${key}`,
      'user-agent': expect.stringMatching(/^tradepost-sdk\/\d/),
      'x-business-id': '101',
      'x-of-client': 'a',
      'x-of-call': 'b',
    })
    expect(other.mode).toBeUndefined()
  })

  test('200 headers of a call override others, whatever their case', async () => {
    const sent: (string | null)[] = []
    const spying: typeof fetch = async (input, init) => {
      const headers = new Headers(init?.headers)
      sent.push(headers.get('user-agent'), headers.get('x-shop'))
      return fetch(input, init)
    }
    const headers = { 'User-Agent': 'shop/1', 'X-Shop': 'a' }
    const other = new Tradepost({ key, baseUrl, fetch: spying, headers })
    await other.profile.get({ headers: { 'x-shop': 'b' } })
    expect(sent).toEqual(['shop/1', 'b'])
  })

  test.each(['', 'two words', 'ключ', 'x'.repeat(256)])(
    'sends no request with %j as its idempotency key',
    async (idempotencyKey) => {
      const call = tradepost.invoices.create(order, { idempotencyKey })
      await expect(call).rejects.toBeInstanceOf(ConfigurationError)
    },
  )

  test('throws without a key if the operation needs one', async () => {
    const keyless = new Tradepost({ baseUrl })
    await expect(keyless.profile.get()).rejects.toThrow(/get_profile needs a key/)
  })
})

describe('a partner', () => {
  test('200 gets a token without a key, and uses it for a business', async () => {
    const credentials = await partnersOf(server).newPartner()
    const { clientId: client_id, clientSecret: client_secret } = credentials
    await tradepost.partners.grant({ clientId: client_id, scopes: ['profile:read'] })
    const keyless = new Tradepost({ baseUrl })
    const { accessToken } = await keyless.partners.createToken(credentials)
    const grant_type = 'client_credentials'
    const oauth = await keyless.partners.createOauthToken({ grant_type, client_id, client_secret })

    const { businessId, businessName } = await tradepost.profile.get()
    for (const token of [accessToken, oauth.access_token]) {
      const acting = new Tradepost({ key: token, baseUrl, businessId, mode: 'test' })
      expect(await acting.profile.get()).toMatchObject({ businessName, mode: 'test' })
      await expect(acting.invoices.list()).rejects.toMatchObject({ status: 403 })
    }
    expect(() => new Tradepost({ key: accessToken, baseUrl, mode: 'live' })).toThrow(/test key/)
  })
})

/** An image of 8 × 8 pixels as base64. */
async function picture(): Promise<string> {
  const { default: sharp } = await import('sharp')
  const create = { width: 8, height: 8, channels: 3, background: 'teal' } as const
  return (await sharp({ create }).png().toBuffer()).toString('base64')
}

describe('types', () => {
  test('describe the results', () => {
    expectTypeOf(tradepost.invoices.create).returns.resolves.toEqualTypeOf<Invoice>()
    expectTypeOf(tradepost.invoices.list).returns.toEqualTypeOf<List<Invoice, PageMeta>>()
    expectTypeOf(tradepost.invoices.getPdf).returns.resolves.toEqualTypeOf<Response>()
    expectTypeOf<Invoice['paidAt']>().toEqualTypeOf<string | null>()
  })

  test('refuse what the server would refuse', () => {
    const never = () => [
      // @ts-expect-error the amount is required
      tradepost.invoices.create({ customerEmail: 'ada@example.com' }),
      // @ts-expect-error there is no such field
      tradepost.invoices.create({ ...order, ammount: 1 }),
      // @ts-expect-error an invoice is named by its reference
      tradepost.invoices.get(),
      // @ts-expect-error channels are named
      tradepost.transactions.createUssd({ channel: 'CARD', amount: 1 }),
      // @ts-expect-error there is no such operation
      tradepost.invoices.burn('INV_1'),
    ]
    expect(never).toBeTypeOf('function')
  })
})
