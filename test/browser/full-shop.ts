import { expect, vi } from 'vitest'
import { partnersOf } from '../../src/business/partners/partners.fixture.ts'
import { memberOf } from '../../src/business/people/people.fixture.ts'
import { METER } from '../../src/money/bills/bills.fixture.ts'
import { openMissing } from '../../src/provider-orders/differences.ts'
import { SIMULATOR_CONNECTION as connectionId } from '../../src/providers/providers.ts'
import { dayOf } from '../../src/reconciliation/days.ts'
import { goods, openShop } from '../../src/sales/checkout/checkout.fixture.ts'
import type { startServer } from '../harness.ts'

const PAYMENTS = '/api/payment-service/external/v1'
const MONEY = '/api/transaction-service/external/v1'
const USER = '/api/user-service/external/v1'
const EMAIL = 'bola@full.example'
const PATIENCE = { timeout: 60_000, interval: 100 }
/** One pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

type Server = Awaited<ReturnType<typeof startServer>>

/**
 * Opens a business with one of everything that the dashboard shows. Returns its owner and the paths
 * of the records' screens. `hooksUrl` receives its webhooks.
 */
export async function openFullShop(server: Server, hooksUrl: string) {
  const shop = await openShop(server)
  const { keys, businessId } = shop
  const owner = await memberOf(server, 'owner', businessId)
  const made = async (path: string, body: object) => {
    const reply = await shop.post(path, body)
    if (reply.status >= 300) throw new Error(`${path}: ${reply.text}`)
    return reply.body
  }

  const webhook = (await made(`${USER}/webhooks`, { url: hooksUrl })).data.reference
  const { clientId } = await partnersOf(server).newPartner()
  await made(`${USER}/partners`, { clientId, scopes: ['invoices:read'] })

  const product = await shop.product({
    name: 'Ankara T-shirt',
    quantity: 9,
    options: [{ name: 'Size', values: ['M', 'L'] }],
  })
  await addPicture(server, keys.testSecret, product)
  await shop.deliveryFee(product, 'Lagos', '700')
  await shop.discount({ code: 'TEN' })
  const page = await shop.page({ title: 'Ankara week', customLink: 'full-shop' })
  const { products } = await goods(shop)
  const begun = await shop.begun({ customerEmail: EMAIL, products })
  await shop.paid(begun.reference)

  const waiting = await shop.begun({ customerEmail: EMAIL, amount: 2_000 })
  const opened = (await shop.account(waiting.reference)).body.data
  const low = { accountNumber: opened.accountNumber, amount: 1_500, keep: true }
  const deposit = (await made('/api/simulator/deposit', low)).data.reference

  const invoice = (await made(`${PAYMENTS}/invoices`, { customerEmail: EMAIL, amount: 9_000.5 }))
    .data.reference
  const stall = await shop.subaccount({ bank: 58 })
  const subaccounts = [{ subaccount: stall.code, share: 40 }]
  const split = (await made(`${MONEY}/split-page`, { name: 'Rides', subaccounts })).data.id
  const ussd = { channel: 'USSD', amount: 10_000, pageId: split }
  const payment = (await made(`${MONEY}/transaction-with-ussd`, ussd)).data
  await made('/api/simulator/ussd', { reference: payment.reference, outcome: 'success' })
  const refund = (await shop.refund(payment.transactionId, 1_000)).reference
  const disputed = { reference: payment.reference, amount: 2_000 }
  const dispute = (await made('/api/simulator/dispute', disputed)).data.reference
  const [settlement] = (await made('/api/simulator/settlement', {})).data.settlements
  const account = { bankCode: '058', accountNumber: '0123456785' }
  const transfer = (await made(`${MONEY}/transfers`, { amount: 1_000, ...account })).data
  const meter = { customerId: '04123456789', ...METER }
  await made(`${PAYMENTS}/utility/transactions/customer-enquiry`, meter)
  const bill = await made(`${PAYMENTS}/utility/transactions/process-payment`, meter)

  /** Returns the first row of a list, once it has one. */
  const first = (list: () => Promise<{ body: { data: Record<string, unknown>[] } }>) =>
    vi.waitFor(async () => {
      const [row] = (await list()).body.data
      if (!row) throw new Error('nothing is listed')
      return row
    }, PATIENCE)
  const sent = await first(() => shop.get(`${USER}/webhooks/${webhook}/deliveries`))
  // That is no provider, so the connection stays a draft.
  const connected = await owner.post('/console/providers', {
    provider: 'paystack',
    credentials: { secret_key: `sk_test_${'0'.repeat(40)}` },
    baseUrl: server.url,
  })
  const day = dayOf(server.clock.now())
  const tenant = { businessId, live: false }
  const asked = await owner.post('/console/reconciliation/run', { connectionId, from: day })
  expect(asked.status).toBe(200)
  // What a notification about an unknown payment leaves behind.
  const type = 'charge.success'
  const notice = { about: 'payment', type, reference: null, accountNumber: null } as const
  await server.db.transaction((tx) =>
    openMissing(
      tx,
      server.ids,
      { ...notice, tenant, connectionId, providerId: '90210', isLast: true },
      server.clock.now(),
    ),
  )
  const difference = (await first(() => owner.get('/console/differences'))).reference
  const names: Record<string, unknown> = {
    customers: EMAIL,
    mailbox: (await first(() => owner.get('/console/mails'))).id,
    payments: payment.reference,
    transfers: transfer.reference,
    reconciliation: connectionId,
    days: day,
    differences: difference,
    unresolved: `transfer-${transfer.id}`,
    ledger: (await first(() => owner.get('/console/ledger'))).reference,
    invoices: invoice,
    pages: page,
    products: product,
    orders: begun.orderReference,
    checkouts: begun.reference,
    webhooks: webhook,
    deliveries: sent.eventId ?? sent.id,
    events: (await first(() => shop.get(`${USER}/events`))).id,
    requests: (await first(() => shop.get(`${USER}/requests`))).requestId,
    providers: connected.body.data.connectionId,
    refunds: refund,
    disputes: dispute,
    deposits: deposit,
    'virtual-accounts': (await shop.get(`${MONEY}/virtual-accounts`)).body.data[0].id,
    subaccounts: stall.code,
    splits: split,
    settings: 'branding',
    settlements: settlement.reference,
    utility: bill.responseData?.paymentReference,
  }

  /** Returns the path of a route: `payments/$reference` gets the reference of the payment. */
  function screenAt(route: string): string {
    const named = route.replace(/([\w-]+)\/\$\w+/g, (_, noun: string) => {
      if (names[noun] === undefined) throw new Error(`full-shop.ts has no record for ${route}`)
      return `${noun}/${encodeURIComponent(String(names[noun]))}`
    })
    return `/test/${named}`
  }
  return { ...shop, owner, screenAt }
}

async function addPicture({ url }: Server, key: string, productId: string): Promise<void> {
  const data = new FormData()
  data.append('productId', productId)
  const picture = Buffer.from(PICTURE, 'base64')
  data.append('file', new Blob([picture], { type: 'image/png' }), 'shirt.png')
  const headers = { authorization: `Bearer ${key}` }
  const path = `${url}${PAYMENTS}/products/product-upload-media`
  const { status } = await fetch(path, { method: 'POST', body: data, headers })
  expect(status).toBe(200)
}
