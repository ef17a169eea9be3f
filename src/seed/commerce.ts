import type { Database } from '../db/database.ts'
import { type Sweeper, sweepAll } from '../jobs/jobs.ts'
import type { Clock } from '../lib/clock.ts'
import { drawLogo } from './logo.ts'

const P = '/api/payment-service/v1'
const T = '/api/transaction-service/v1'
const WEBHOOKS = '/api/user-service/v1/webhooks'
const SIMULATOR = '/api/simulator'

// biome-ignore lint/suspicious/noExplicitAny: answers of our own API, whose shapes its tests keep
type Data = any
type Call = (
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  payload?: object | FormData,
) => Promise<Data>

interface Running {
  /** Where a server listens, and its sweepers, which nobody else runs. */
  server: string
  sweepers: readonly Sweeper[]
  db: Database
  clock: Clock
  /** A test key of the business. */
  key: string
}

/**
 * Sells, pays out and settles in test mode through the API, so that each screen of the dashboard
 * has something to show. Throws when the API refuses a call.
 */
export async function fillShop({ server, sweepers, db, clock, key }: Running): Promise<void> {
  const call = callerOn(server, key)
  /** Does what has fallen due: payments settle, transfers leave, mails are kept. */
  async function settle(): Promise<void> {
    for (const { sweep } of sweepers) await sweepAll(db, clock.now(), sweep)
  }

  const goods = await addProducts(call)
  const page = await addPage(call, goods)
  const split = await addSubaccounts(call)
  await call('POST', WEBHOOKS, { url: 'https://shop.example.com/webhooks', events: ['order.paid'] })
    // It is an example: nothing is to be sent there.
    .then(({ reference }) => call('PUT', `${WEBHOOKS}/${reference}`, { status: 'Disabled' }))

  for (const customer of CUSTOMERS) await order(call, page.pageId, goods, customer)
  await call('POST', `${T}/transaction-with-ussd`, {
    channel: 'USSD',
    amount: 18_000,
    pageId: split.id,
    bankCode: '058',
    message: 'Delivery to Surulere',
  })
  await settle()

  const [first] = await call('GET', `${T}/orders?limit=1`)
  await call('POST', `${T}/refunds`, {
    transactionId: first.transactionId,
    amount: 2_500,
    reason: 'One cushion arrived damaged',
  })
  for (const transfer of TRANSFERS) await call('POST', `${T}/transfers`, transfer)
  await payBills(call)
  await settle()
  await call('POST', `${SIMULATOR}/settlement`, {})
  await settle()
}

function callerOn(server: string, key: string): Call {
  return async (method, path, payload) => {
    const isForm = payload instanceof FormData
    const response = await fetch(server + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(payload && !isForm && { 'content-type': 'application/json' }),
      },
      ...(payload && { body: isForm ? payload : JSON.stringify(payload) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
    const answer = JSON.parse(text)
    return answer.data ?? answer
  }
}

interface Goods {
  chairId: string
  clothId: string
  clothVariantId: string
  guideId: string
}

const INDIGO = '#27447a'
const TERRACOTTA = '#9a4524'
const PALM = '#0b6b4b'

async function addProducts(call: Call): Promise<Goods> {
  const products = `${P}/products`
  const chair = await call('POST', `${products}/create-product`, {
    name: 'Iroko chair',
    description: 'Solid iroko, finished by hand in Surulere.',
    price: 85_000,
    quantity: 24,
    lowStockThreshold: 5,
  })
  const cloth = await call('POST', `${products}/create-product`, {
    name: 'Adire cloth',
    description: 'Cotton, dyed by hand.',
    price: 16_500,
    quantity: 40,
    options: [
      { name: 'Colour', values: ['Indigo', 'Ochre'] },
      { name: 'Length', values: ['5 yards', '10 yards'] },
    ],
  })
  const guide = await call('POST', `${products}/create-product`, {
    name: 'Care guide for wood and cloth',
    description: 'A short book to download.',
    price: 2_500,
    type: 'digital',
  })
  const colors = {
    [chair.productId]: TERRACOTTA,
    [cloth.productId]: INDIGO,
    [guide.productId]: PALM,
  }
  for (const [productId, color] of Object.entries(colors)) {
    const base64 = (await drawLogo(color)).toString('base64')
    const picture = { productId, base64, filename: 'picture.png' }
    await call('POST', `${products}/product-upload-media`, picture)
  }
  for (const productId of [chair.productId, cloth.productId]) {
    const fees = { Lagos: '1500.00', Everywhere: '4000.00' }
    for (const [location, fee] of Object.entries(fees)) {
      await call('POST', `${products}/add-delivery-fees`, { productId, location, fees: fee })
    }
  }
  const file = new FormData()
  file.set('productId', guide.productId)
  file.set('file', new File(['Oil it once a year.'], 'care-guide.txt', { type: 'text/plain' }))
  await call('POST', `${products}/add-digital-download-files`, file)
  const discount = { code: 'WELCOME10', type: 'percentage', value: 10 }
  await call('POST', `${products}/add-discount-code`, discount)
  return {
    chairId: chair.productId,
    clothId: cloth.productId,
    clothVariantId: cloth.variants[0].variantId,
    guideId: guide.productId,
  }
}

async function addPage(call: Call, { chairId, clothId, guideId }: Goods): Promise<Data> {
  const page = await call('POST', `${P}/payment-pages/create-pages`, {
    title: 'The shop',
    description: 'Chairs and cloth from Lagos, delivered everywhere in Nigeria.',
    allowDiscountCodes: true,
    collectPhone: true,
    amount: 1_000,
  })
  const added = { pageId: page.pageId, productIds: [chairId, clothId, guideId] }
  await call('POST', `${P}/payment-pages/payment-page-add-product`, added)
  await call('POST', `${P}/payment-pages/create-pages`, {
    title: 'Support the weaving school',
    amountType: 'variable',
    suggestedAmounts: [2_000, 5_000, 10_000],
  })
  return page
}

async function addSubaccounts(call: Call): Promise<Data> {
  const rider = { business_name: 'Musa Riders', account_number: '0123456789', bank: 58 }
  const weaver = { business_name: 'Weavers of Abeokuta', account_number: '0234567891', bank: 44 }
  const split = await call('POST', `${T}/split-page`, { name: 'Deliveries' })
  for (const [subaccount, share] of [
    [rider, 60],
    [weaver, 15],
  ] as const) {
    const made = await call('POST', `${T}/subaccounts`, { ...subaccount, percentage_charge: 10 })
    const part = { sub_account_id: made.subaccount_code, shere: share }
    await call('POST', `${T}/split-page/${split.id}/subaccount/add`, part)
  }
  return split
}

const CUSTOMERS = [
  { name: 'Amaka Okonkwo', email: 'amaka@example.com', address: '3 Bode Thomas Street, Surulere' },
  { name: 'Tunde Balogun', email: 'tunde@example.com', address: '18 Ring Road, Ibadan' },
  { name: 'Halima Sani', email: 'halima@example.com', address: '7 Zoo Road, Kano' },
]

/** A checkout of goods, paid by bank transfer. */
async function order(
  call: Call,
  pageId: number,
  { chairId, clothId, clothVariantId, guideId }: Goods,
  { name, email, address }: (typeof CUSTOMERS)[number],
): Promise<void> {
  const { accessCode } = await call('POST', `${P}/initialize-checkout`, {
    customerEmail: email,
    customerName: name,
    pageId,
    products: [
      { productId: chairId, quantity: 1 },
      { productId: clothId, variantId: clothVariantId, quantity: 2 },
      { productId: guideId, quantity: 1 },
    ],
    deliveryLocation: 'Lagos',
    shippingAddress: address,
    discountCode: 'WELCOME10',
  })
  const account = await call(
    'POST',
    '/api/payment-service/external/v1/payment-pages/initiate-initialize-checkout-dynamic-virtual-account',
    { accessCode },
  )
  const { accountNumber, amount } = account
  await call('POST', `${SIMULATOR}/deposit`, { accountNumber, amount })
}

/** By their account numbers, these succeed, fail and stay on their way. */
const TRANSFERS = [
  { amount: 120_000, bankCode: '058', accountNumber: '0000000001', narration: 'Timber, November' },
  { amount: 45_000, bankCode: '044', accountNumber: '0000000002', narration: 'Dye and thread' },
  { amount: 30_000, bankCode: '033', accountNumber: '0000000006', narration: 'Wages' },
]

async function payBills(call: Call): Promise<void> {
  const enquiry = { customerId: '08031234567', packageSlug: 'mtn-airtime-top-up' }
  await call('POST', `${P}/utility/transactions/customer-enquiry`, enquiry)
  const payment = { ...enquiry, amount: 2_000 }
  await call('POST', `${P}/utility/transactions/process-payment`, payment)
}
