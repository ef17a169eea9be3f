import { callerWith, type startServer } from '../../../test/harness.ts'
import { openProviders } from '../../providers/providers.ts'
import { openSimulator } from '../../providers/simulator/simulator.ts'
import { checkoutByCode, checkoutView } from './page.ts'
import { payCheckout } from './pay.ts'

const PAYMENTS = '/api/payment-service/external/v1'
const MONEY = '/api/transaction-service/external/v1'
export const CHECKOUT = `${PAYMENTS}/initialize-checkout`
export const ACCOUNT = `${PAYMENTS}/payment-pages/initiate-initialize-checkout-dynamic-virtual-account`
export const ORDERS = `${MONEY}/orders`
export const SETTINGS = '/api/user-service/external/v1/profile/settings'

interface Begun {
  id: number
  reference: string
  accessCode: string
  orderId: number
  orderReference: string
  transactionId: number
  pageId: number
}

type Body = Record<string, unknown>

/** Opens a new business with payment settings and things to sell. `url` is the URL of a server. */
export async function openShop(
  server: Awaited<ReturnType<typeof startServer>>,
  { settings = {}, url = server.url }: { settings?: Body; url?: string } = {},
) {
  const { db } = server
  const { keys, businessId } = await server.newBusiness()
  const caller = callerWith(url, keys.testSecret)
  const { get, post, put } = caller
  if (Object.keys(settings).length > 0) await put(SETTINGS, settings)

  async function made(path: string, body: Body) {
    const reply = await post(path, body)
    if (reply.status >= 300) throw new Error(reply.text)
    return reply.body.data
  }

  const begin = (body: Body, headers?: Record<string, string>) =>
    post(CHECKOUT, { customerEmail: 'ada@example.com', ...body }, headers)
  const account = (reference: string, more: Body = {}) => post(ACCOUNT, { reference, ...more })
  const deposit = async (accountNumber: string, amount: number) =>
    (await post('/api/simulator/deposit', { accountNumber, amount })).body.data

  return {
    ...caller,
    businessId,
    keys,
    tenant: { businessId, live: false },
    live: callerWith(url, keys.liveSecret),
    product: async (body: Body = {}): Promise<string> =>
      (await made(`${PAYMENTS}/products/create-product`, { name: 'Shirt', price: 5000, ...body }))
        .productId,
    page: async (body: Body = {}): Promise<number> =>
      (
        await made(`${PAYMENTS}/payment-pages/create-pages`, {
          title: 'Support us',
          amountType: 'fixed',
          amount: 1000,
          ...body,
        })
      ).pageId,
    discount: (body: Body = {}) =>
      made(`${PAYMENTS}/products/add-discount-code`, {
        code: 'TEN',
        type: 'percentage',
        value: 10,
        ...body,
      }),
    deliveryFee: (productId: string, location: string, fees: string) =>
      made(`${PAYMENTS}/products/add-delivery-fees`, { productId, location, fees }),
    subaccount: async (body: Body = {}) => {
      const data = await made(`${MONEY}/subaccounts`, {
        business_name: 'Stall',
        account_number: '0123456789',
        percentage_charge: 2.5,
        ...body,
      })
      return { code: data.reference as string, id: data.id as number }
    },
    begin,
    begun: async (body: Body): Promise<Begun> => {
      const reply = await begin(body)
      if (reply.status !== 201) throw new Error(reply.text)
      return reply.body.data
    },
    account,
    deposit,
    /** Pays by transfer: `amount` or, if it is absent, the requested amount. */
    async paid(reference: string, amount?: number) {
      const { status, text, body } = await account(reference)
      if (status !== 200) throw new Error(text)
      return deposit(body.data.accountNumber, amount ?? body.data.amount)
    },
    seen: async (reference: string) => (await get(`${CHECKOUT}/${reference}`)).body.data,
    order: async (reference: string) => (await get(`${ORDERS}/${reference}`)).body.data,
    stock: async (productId: string) => {
      const path = `${PAYMENTS}/products/get-product-inventory-details?productId=${productId}`
      const { onHand, reserved, available, sold } = (await get(path)).body.data
      return { onHand, reserved, available, sold }
    },
    pageCounts: (pageId: number) =>
      db.one<Record<string, number | bigint>>`
        select checkouts, open_checkouts, payments, amount_minor from payment_page_counts
        where page_id = ${pageId}`,
    eventsOf: async (objectId: number) =>
      (
        await db.many<{ type: string }>`
          select type from events where business_id = ${businessId} and object_id = ${objectId}
          order by sequence`
      ).map(({ type }) => type),
    refund: (transactionId: number, amount?: number) =>
      made(`${MONEY}/refunds`, { transactionId, ...(amount !== undefined && { amount }) }),
    transaction: async (id: number) => (await get(`${MONEY}/fetch/${id}`)).body.data,
  }
}

export type Shop = Awaited<ReturnType<typeof openShop>>

/** Two units of a new product, which has `quantity` in stock. */
export const goods = async (shop: Shop, quantity = 5) => {
  const productId = await shop.product({ quantity })
  return { productId, products: [{ productId, quantity: 2 }] }
}

/** Pays by USSD: the payer dials the code, and the bank approves. */
export async function approved(shop: Shop, reference: string): Promise<void> {
  const { status, text } = await shop.post('/api/simulator/ussd', { reference, outcome: 'success' })
  if (status !== 200) throw new Error(text)
}

/** Does what the hosted pages do for a payer, but without a browser. */
export function payer({ db, ids, keyring, clock }: Awaited<ReturnType<typeof startServer>>) {
  const simulator = openSimulator({ db, clock, simulatorDelayMs: 20, nudge() {} })
  const pages = { db, ids, keyring, clock, providers: openProviders(db, { simulator }) }
  const view = async (accessCode: string) =>
    checkoutView(pages, await checkoutByCode(pages, accessCode))
  return {
    pages,
    view,
    async choose(
      { id, accessCode }: Pick<Begun, 'id' | 'accessCode'>,
      channel: 'USSD' | 'BANK_TRANSFER',
    ) {
      const { tenant, now } = await checkoutByCode(pages, accessCode)
      await payCheckout(pages, { ...tenant, now }, id, { channel, bankCode: null })
      return (await view(accessCode)).payment!
    },
  }
}

/** Makes ordered refunds succeed. */
export async function refundsArrive(server: Awaited<ReturnType<typeof startServer>>) {
  await server.runJob('refund-orders')
  server.clock.advance(1_000)
  await server.runJob('simulator')
}
