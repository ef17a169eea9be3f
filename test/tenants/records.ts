import { setTimeout as sleep } from 'node:timers/promises'
import type { callerWith, Reply } from '../harness.ts'

/* A record of each kind that an operation can be asked about. */

type Caller = ReturnType<typeof callerWith>
// biome-ignore lint/suspicious/noExplicitAny: a response of any operation
type Body = any

const SALES = '/api/payment-service/external/v1'
const VARIANTS = '/api/payment-service/v1/products'
const MONEY = '/api/transaction-service/external/v1'
const USER = '/api/user-service/external/v1'
const SIMULATOR = '/api/simulator'
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const WAIT_MS = 120_000

export type Ids = Readonly<Record<string, string | number>>

interface Options {
  url: string
  key: string
  caller: Caller
  /** Makes texts unique that are unique on a server. */
  name: string
  /** A webhook receiver. */
  hook: string
}

/** Creates, in live mode, whatever needs no provider. Returns the ids by kind. */
export async function openLiveRecords({ caller, name, hook }: Options): Promise<Ids> {
  const { post, get } = caller
  const made = madeBy(post)
  const goods = await openGoods(caller, name)
  const { reference: invoice } = (
    await made(`${SALES}/invoices`, { customerEmail: 'ada@example.com', amount: 900 })
  ).data
  const subaccount = await made(`${MONEY}/subaccounts`, {
    business_name: 'Stall',
    percentage_charge: 5,
    account_number: '0123456789',
  })
  const split = (await made(`${MONEY}/split-page`, { name: `Split ${name}` })).data
  const webhook = (await made(`${USER}/webhooks`, { url: hook.replace('http:', 'https:') })).data
  const [event] = (await get(`${USER}/events?limit=1`)).body.data
  return {
    ...goods,
    invoice,
    subaccount: subaccount.data.reference,
    splitPage: split.id,
    webhook: webhook.reference,
    event: event.id,
    eventObject: event.objectId,
  }
}

/** Creates a record of each kind in test mode. Returns the ids by kind. */
export async function openRecords(options: Options): Promise<Ids> {
  const { caller, name, hook } = options
  const { get, post, put } = caller
  const made = madeBy(post)

  const webhook = (await made(`${USER}/webhooks`, { url: hook })).data
  const account = { bankCode: '058', accountNumber: '0123456785' }
  await reading(
    await put(`${USER}/profile/settings`, {
      settlementAccount: account,
    }),
  )
  const goods = await openGoods(caller, name)

  const invoice = (
    await made(`${SALES}/invoices`, { customerEmail: 'ada@example.com', amount: 900 })
  ).data
  const subaccount = (
    await made(`${MONEY}/subaccounts`, {
      business_name: 'Stall',
      percentage_charge: 5,
      bank: 58,
      account_number: '0123456785',
    })
  ).data
  const split = (
    await made(`${MONEY}/split-page`, {
      name: `Split ${name}`,
      subaccounts: [{ subaccount: subaccount.reference, share: 50 }],
    })
  ).data
  const pay = async (more: object) => {
    const { data } = await made(`${MONEY}/transaction-with-ussd`, {
      channel: 'USSD',
      amount: 5_000,
      ...more,
    })
    // The simulator's payer does not let anyone wait for long.
    await until(`${data.reference}`, async () => {
      const { body } = await get(`${MONEY}/transactions/verify/${data.reference}`)
      return body.data.status === 'Successful' || undefined
    })
    return data
  }
  const payment = await pay({})
  await pay({ pageId: split.id })
  const refund = (
    await made(`${MONEY}/refunds`, { transactionId: payment.transactionId, amount: 100 })
  ).data
  const disputed = await pay({})
  const dispute = (await made(`${SIMULATOR}/dispute`, { reference: disputed.reference })).data
  const evidence = await upload(options, `${MONEY}/disputes/${dispute.reference}/evidence`, {})
  const file = await upload(options, `${SALES}/products/add-digital-download-files`, {
    productId: `${goods.digital}`,
  })

  const transfer = (await made(`${MONEY}/transfers`, { ...account, amount: 100 })).data
  const payout = (await made(`${USER}/wallet/payouts`, { amount: 500 })).data
  const enquiry = { customerId: '08031234567', packageSlug: 'mtn-airtime-top-up' }
  await made(`${SALES}/utility/transactions/customer-enquiry`, enquiry)
  const bill = (
    await made(`${SALES}/utility/transactions/process-payment`, { ...enquiry, amount: 100 })
  ).responseData

  const buying = {
    customerEmail: 'ada@example.com',
    products: [{ productId: goods.product, quantity: 1 }],
    shippingAddress: '1 Example Close, Lagos',
    deliveryLocation: 'Lagos',
  }
  const open = (await made(`${SALES}/initialize-checkout`, buying)).data
  const paid = (await made(`${SALES}/initialize-checkout`, buying)).data
  const received = async (accessCode: string) =>
    (
      await made(`${SALES}/payment-pages/initiate-initialize-checkout-dynamic-virtual-account`, {
        accessCode,
      })
    ).data
  const { accountNumber, amount } = await received(paid.accessCode)
  await made(`${SIMULATOR}/deposit`, { accountNumber, amount })
  const kept = await received(open.accessCode)
  await made(`${SIMULATOR}/deposit`, { accountNumber: kept.accountNumber, amount: 1, keep: true })
  await made(`${SIMULATOR}/settlement`, {})
  const cardReference = await chooseCard(options)

  const first = (path: string) =>
    until(path, async () => (await reading(await get(path))).data[0] as Body)
  const order = await first(`${MONEY}/orders?limit=1`)
  const virtual = await first(`${MONEY}/virtual-accounts?limit=1`)
  const deposit = await first(`${MONEY}/deposits?limit=1`)
  const settlement = await first(`${MONEY}/settlements?limit=1`)
  const event = await first(`${USER}/events?limit=1`)
  const request = await first(`${USER}/requests?limit=1`)
  const delivery = await first(`${USER}/webhooks/${webhook.reference}/deliveries?limit=1`)
  return {
    ...goods,
    invoice: invoice.reference,
    subaccount: subaccount.reference,
    splitPage: split.id,
    transaction: payment.transactionId,
    transactionReference: payment.reference,
    refund: refund.reference,
    dispute: dispute.reference,
    evidence: evidence.data.evidence[0].id,
    file: file.data.digitalDownloadFileId,
    transfer: transfer.reference,
    payout: payout.reference,
    bill: bill.reference,
    checkout: open.reference,
    accessCode: open.accessCode,
    accountNumber: kept.accountNumber,
    cardReference,
    accountReference: deposit.transactionReference,
    order: order.reference,
    virtualAccount: virtual.id,
    deposit: deposit.reference,
    settlement: settlement.reference,
    webhook: webhook.reference,
    delivery: delivery.id,
    event: event.id,
    eventObject: event.objectId,
    request: request.requestId,
    apiKey: request.keyReference,
  }
}

/** Opens a checkout's page and chooses to pay by card. Returns the payment's reference. */
async function chooseCard({ url, caller }: Options): Promise<string> {
  const made = madeBy(caller.post)
  const asked = { customerEmail: 'ada@example.com', amount: 600 }
  const { authorizationUrl } = (await made(`${SALES}/initialize-checkout`, asked)).data
  const response = await fetch(`${url}${new URL(authorizationUrl).pathname}/pay`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ channel: 'CARD' }),
  })
  if (response.status !== 303) throw new Error(`a card: ${response.status}`)
  const path = `${MONEY}/transactions?channel=CARD`
  return until(path, async () => (await caller.get(path)).body.data[0]?.reference)
}

/** Products, a discount code and a payment page, which exist in either mode. */
async function openGoods({ post, get }: Caller, name: string) {
  const made = madeBy(post)
  const { data: product } = await made(`${SALES}/products/create-product`, {
    name: `Shirt ${name}`,
    price: 500,
    quantity: 100,
    slug: `shirt-${name}`,
  })
  const { data: varied } = await made(`${SALES}/products/create-product`, {
    name: `Cloth ${name}`,
    price: 500,
    options: [{ name: 'Colour', values: ['Red', 'Blue'] }],
  })
  const { data: digital } = await made(`${SALES}/products/create-product`, {
    name: `Guide ${name}`,
    price: 500,
    type: 'digital',
  })
  const [option] = varied.options
  const [variant] = varied.variants
  const picture = { base64: PNG, filename: 'picture.png' }
  const { data: media } = await made(`${SALES}/products/product-upload-media`, {
    ...picture,
    productId: product.productId,
  })
  const { data: variantMedia } = await made(`${VARIANTS}/add-product-variant-media`, {
    ...picture,
    productId: varied.productId,
    variantId: variant.variantId,
  })
  await made(`${SALES}/products/add-delivery-fees`, {
    productId: product.productId,
    location: 'Lagos',
    fees: '100.00',
  })
  const fees = `${SALES}/products/get-delivery-fees?productId=${product.productId}`
  const { data: fee } = reading(await get(fees), fees)
  const code = `CODE${name}`
  const { data: discount } = await made(`${SALES}/products/add-discount-code`, {
    code,
    type: 'percentage',
    value: 10,
    productIds: [product.productId],
  })
  const { data: page } = await made(`${SALES}/payment-pages/create-pages`, {
    title: `Page ${name}`,
    amount: 700,
    customLink: `page-${name}`,
  })
  await made(`${SALES}/payment-pages/payment-page-add-product`, {
    pageId: page.pageId,
    productIds: [product.productId],
  })
  return {
    product: product.productId,
    varied: varied.productId,
    digital: digital.productId,
    slug: `shirt-${name}`,
    option: option.optionId,
    variant: variant.variantId,
    optionVariant: option.values[0].optionVariantId,
    media: idOf(media, 'mediaId'),
    variantMedia: idOf(variantMedia, 'mediaId'),
    deliveryFee: idOf(fee, 'deliveryFeeId'),
    discount: discount.discountId ?? discount.id,
    discountCode: code,
    page: page.pageId,
    customLink: `page-${name}`,
  }
}

/** The id in a record, or in the newest record of a list. */
const idOf = (data: Body, name: string) => {
  const record = Array.isArray(data) ? data.at(-1) : data
  return record[name] ?? record.id
}

const madeBy =
  (post: Caller['post']) =>
  async (path: string, body: object): Promise<Body> =>
    reading(await post(path, body), path)

function reading({ status, body, text }: Reply, path = ''): Body {
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`)
  return body
}

async function upload({ url, key }: Options, path: string, fields: Record<string, string>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([Buffer.from('%PDF-1.4\n%%EOF\n')]), 'proof.pdf')
  const response = await fetch(url + path, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${key}` },
  })
  const text = await response.text()
  if (response.status >= 300) throw new Error(`${path}: ${response.status} ${text}`)
  return JSON.parse(text) as Body
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(50)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error(`there is nothing at ${what}`)
}
