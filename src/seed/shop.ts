import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPartner } from '../business/partners/service.ts'
import { createLink } from '../business/people/one-time-links.ts'
import { loadSharp } from '../files/images.ts'
import type { Role } from '../lib/caller.ts'
import { wholeUnits } from '../lib/money.ts'
import { randomText } from '../lib/tokens.ts'
import { SIMULATOR_CONNECTION } from '../providers/providers.ts'
import { dayOf } from '../reconciliation/days.ts'
import { RECONCILIATION_JOB } from '../reconciliation/jobs.ts'
import { customerOf, type Random, randomOf } from './cast.ts'
import type { DemoServer, Script } from './demo-server.ts'
import type { History } from './invoices.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Returns the time at the given hour, this many days before the end. */
type When = (daysAgo: number, hour?: number) => number

/**
 * Returns the scripts for everything in a shop besides invoices, so that each dashboard screen has
 * data.
 */
export function shopScripts(
  server: DemoServer,
  { seed, untilMs, endMs }: History,
  owner: SignIn,
): Script[] {
  const when: When = (daysAgo, hour = 10) => untilMs - daysAgo * DAY_MS + hour * HOUR_MS
  const random = randomOf(seed, 2_000_003)
  return [
    team(server, when, seed, owner),
    sales(server, when, { random, endMs }),
    payouts(server, when),
    bills(server, when),
    developers(server, when),
  ]
}

export interface SignIn {
  email: string
  password: string
}

/**
 * Only the owner can sign in afterwards, because the others’ passwords are random and discarded.
 */
export const signInOf = (name: string, businessId: number): SignIn => ({
  email: `${name.toLowerCase().replace(' ', '.')}.${businessId}@example.com`,
  password: randomText(20),
})

export const OWNER = 'Kemi Adeyemi'
const TEAM = [
  ['Tunde Lawal', 'admin'],
  ['Ifeanyi Obi', 'finance'],
  ['Halima Bello', 'developer'],
  ['Tega Okoro', 'support'],
  ['Ama Mensah', 'viewer'],
] as const

async function* team(server: DemoServer, when: When, seed: number, signIn: SignIn): Script {
  const { api, tenant, simulator } = server
  yield when(58)
  const owner = await join(server, 'owner', OWNER, signIn)
  await owner.do('/console/branding', await lookOf(seed))
  const others: Partial<Record<Role, Person>> = {}
  for (const [name, role] of TEAM) {
    others[role] = await join(server, role, name, signInOf(name, tenant.businessId))
  }
  const { finance, developer } = others as Record<Role, Person>

  yield when(50)
  await owner.signIn()
  await owner.do('/console/team/invite', { email: 'musa@example.com', role: 'support' })
  const settings = '/api/user-service/v1/profile/settings'
  await owner.do(settings, { transferApprovalAbove: 500_000 }, 'PUT')

  yield when(42)
  await developer.signIn()
  for (const key of KEYS) await developer.do('/console/keys', key)

  yield when(DISAGREED_DAY, 13)
  await api.transfers.create(TAKEN_BACK)
  await server.runJobs()

  yield when(2.5)
  await finance.signIn()
  const { data: transfers } = await api.transfers.list({ status: 'Unverified' })
  const above = transfers.filter(({ amount }) => amount > 500_000)
  const path = '/api/transaction-service/v1/transfers'
  await finance.do(`${path}/${above[0]!.reference}/approve`)
  await finance.do(`${path}/${above[1]!.reference}/reject`, { reason: 'Ordered twice' })
  yield when(1)
  await owner.signIn()
  await owner.do('/console/team/invite', { email: 'zara@example.com', role: 'finance' })
  // The simulator's days are only compared if someone asks for it.
  yield when(0.5)
  await finance.signIn()
  simulator.takeBack(wholeUnits(TAKEN_BACK.amount, 'NGN'))
  simulator.addPayment(wholeUnits(12_500, 'NGN'), new Date(when(DISAGREED_DAY, 15)))
  const disagreed = [DISAGREED_DAY, DISAGREED_DAY]
  for (const range of [disagreed, [5, 2]]) {
    const [from, until] = range.map((daysAgo) => dayOf(new Date(when(daysAgo))))
    const connectionId = SIMULATOR_CONNECTION
    await finance.do('/console/reconciliation/run', { connectionId, from, until })
  }
  await server.runJobs(RECONCILIATION_JOB)
}

/** More than a week ago, so that nothing compares this day again and closes its differences. */
const DISAGREED_DAY = 9

/** The bank first pays it, and later says that it did not. No other transfer has this amount. */
const TAKEN_BACK = {
  accountNumber: '0000000001',
  bankCode: '058',
  amount: 27_350,
  narration: 'Varnish and brushes',
}

const KEYS = [
  { type: 'secret', label: 'Web shop', scopes: ['checkout:write', 'orders:read'] },
  { type: 'secret', label: 'Book-keeping', scopes: ['wallet:read', 'settlements:read'] },
]

interface Person {
  signIn(): Promise<void>
  do(path: string, body?: object, method?: 'POST' | 'PUT'): Promise<void>
}

/** Invites a member, who signs up and then works in the dashboard. */
async function join(
  { url, db, publicUrl, tenant, clock }: DemoServer,
  role: Role,
  name: string,
  { email, password }: SignIn,
): Promise<Person> {
  let cookie = ''
  let csrf = ''

  async function call(method: string, path: string, body?: object) {
    const answer = await fetch(url + path, {
      method,
      headers: {
        cookie,
        'x-csrf-token': csrf,
        'x-business-id': String(tenant.businessId),
        'x-tradepost-mode': 'test',
        origin: new URL(publicUrl).origin,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} returned ${answer.status}: ${text}`)
    const set = answer.headers.getSetCookie().map((one) => one.split(';')[0]!)
    const session = set.find((pair) => !pair.includes('-browser='))
    if (session) cookie = session
    return JSON.parse(text)
  }
  async function begin(path: string, body: object): Promise<void> {
    cookie = ''
    await call('POST', path, body)
    csrf = (await call('GET', '/console/me')).data.csrf
  }

  const about = { business_id: tenant.businessId, role, email, person_id: null }
  const { token } = await createLink(db, publicUrl, { kind: 'invitation', ...about }, clock.now())
  await begin('/console/sign-up', { token, name, password })
  return {
    signIn: () => begin('/console/sign-in', { email, password }),
    do: async (path, body = {}, method = 'POST') => void (await call(method, path, body)),
  }
}

/** Traditional dye colours: indigo, terracotta, palm, plum and ochre. */
const COLORS = ['#27447a', '#9a4524', '#0b6b4b', '#6b2d5c', '#7d5200'] as const
const [INDIGO, TERRACOTTA, PALM] = COLORS

const lookOf = async (seed: number) => ({
  website: 'https://shop.example.com',
  address: '14 Example Close\nSurulere, Lagos',
  accentColor: COLORS[seed % COLORS.length]!,
  logo: (await drawRosette(COLORS[seed % COLORS.length]!)).toString('base64'),
})

async function* sales(
  server: DemoServer,
  when: When,
  { random, endMs }: { random: Random; endMs: number },
): Script {
  const { api, runJobs } = server
  yield when(55)
  const goods = await addProducts(server)
  await addDiscounts(server)
  const page = await api.paymentPages.create({
    title: 'The shop',
    description: 'Chairs and cloth from Lagos, delivered everywhere in Nigeria.',
    allowDiscountCodes: true,
    collectPhone: true,
    amount: 1_000,
  })
  const { pageId } = page
  await api.paymentPages.addProducts({ pageId, productIds: Object.values(goods.ids) })
  await api.paymentPages.create({
    title: 'Support the weaving school',
    amountType: 'variable',
    suggestedAmounts: [2_000, 5_000, 10_000],
  })
  const stall = await api.paymentPages.create({ title: 'Stall at the Easter market', amount: 500 })
  await api.paymentPages.setStatus({ pageId: stall.pageId, status: 'Unpublished' })

  async function order(i: number) {
    const { name, email, phone } = customerOf(random, 0)
    return api.checkout.initialize({
      customerEmail: email,
      customerName: name,
      customerPhone: phone,
      pageId,
      products: [
        { productId: random.pick([goods.ids.chair, goods.ids.guide]), quantity: 1 },
        { productId: goods.ids.cloth, variantId: goods.variantId, quantity: 2 },
      ],
      deliveryLocation: 'Lagos',
      shippingAddress: '3 Bode Thomas Street, Surulere',
      ...(i % 3 === 0 && { discountCode: 'WELCOME10' }),
      expiresInMinutes: 480,
    })
  }
  const paid: Paid[] = []
  for (const [i, daysAgo] of ORDER_DAYS.entries()) {
    yield when(daysAgo, 9 + random.share() * 10)
    const { accessCode, reference } = await order(i)
    if (i % 5 === 4) {
      await api.checkout.cancel(reference)
      continue
    }
    const opened = await api.checkout.createVirtualAccount({ accessCode })
    const { accountNumber, amount, transactionId, transactionReference } = opened
    // Some payers look at the page and leave.
    if (i % 7 === 6) continue
    yield server.clock.now().getTime() + random.whole(2, 12) * MINUTE_MS
    const wrong = WRONG_AMOUNTS[i]
    if (wrong) await api.simulator.deposit({ accountNumber: accountNumber!, ...wrong })
    await api.simulator.deposit({ accountNumber: accountNumber!, amount })
    paid.push({ id: transactionId, reference: transactionReference })
    await runJobs('mail')
  }

  yield when(3)
  await api.refunds.create({ transactionId: paid[0]!.id, reason: 'The whole order was sent back' })
  // The kobo in these amounts decide the outcome of the refund: paid, refused, in progress or
  // needing attention.
  for (const [i, amount] of [2_500, 1_000.01, 1_200.04, 1_500.05].entries()) {
    await api.refunds.create({ transactionId: paid[i + 1]!.id, amount, reason: 'Arrived damaged' })
  }
  await runJobs()
  yield* disputes(server, when, paid.slice(6))
  // These stay open: an order that is waiting for payment, and a refund that has not been sent.
  yield endMs
  const { accessCode } = await order(1)
  const { accountNumber, amount } = await api.checkout.createVirtualAccount({ accessCode })
  // Somebody has to decide about this payment.
  const low = { accountNumber: accountNumber!, amount: amount - 1_000, keep: true }
  await api.simulator.deposit(low)
  await api.refunds.create({ transactionId: paid[5]!.id, amount: 800, reason: 'Delivered late' })
}

interface Paid {
  id: number
  reference: string
}

/** Some are decided, one is under review, and one is waiting for the shop's response. */
async function* disputes({ api, runJobs }: DemoServer, when: When, paid: readonly Paid[]): Script {
  const dueInHours = 24 * 14
  const references: string[] = []
  for (const [i, reason] of DISPUTED.entries()) {
    yield when(2.9, 10 + i)
    const { reference } = paid[i]!
    references.push((await api.simulator.dispute({ reference, reason, dueInHours })).reference)
    await runJobs()
  }
  const [won, lost, accepted, reviewed] = references as [string, string, string, string]
  yield when(2, 9)
  for (const reference of [won, reviewed]) {
    const file = new File([new Uint8Array(await drawRosette(INDIGO))], 'label.png', {
      type: 'image/png',
    })
    await api.disputes.addDisputeEvidence(reference, { file })
    const message = 'Our rider handed the parcel over, and the label has a signature.'
    await api.disputes.contestDispute(reference, { message })
  }
  await api.disputes.acceptDispute(accepted)
  await runJobs()
  yield when(1, 15)
  await api.simulator.disputeOutcome({ reference: won, outcome: 'won' })
  await api.simulator.disputeOutcome({ reference: lost, outcome: 'lost' })
  await runJobs()
}

const DISPUTED = [
  'The parcel never arrived',
  'I did not order this',
  'The colour is not what I ordered',
  'I was charged twice',
  'One of the chairs is missing',
]

/** Payments that were sent to the accounts of these orders first, and were not accepted. */
const WRONG_AMOUNTS: Record<number, { amount: number; keep: boolean }> = {
  2: { amount: 5_000, keep: false },
  7: { amount: 12_500, keep: true },
}

const ORDER_DAYS = [44, 40, 37, 33, 30, 26, 23, 20, 17, 14, 11, 9, 7, 6, 5, 4]

async function addProducts({ api }: DemoServer) {
  const chair = await api.products.create({
    name: 'Iroko chair',
    description: 'Solid iroko, finished by hand in Surulere.',
    price: 85_000,
    quantity: 24,
    lowStockThreshold: 5,
  })
  const cloth = await api.products.create({
    name: 'Adire cloth',
    description: 'Cotton, dyed by hand.',
    price: 16_500,
    quantity: 60,
    options: [
      { name: 'Colour', values: ['Indigo', 'Ochre'] },
      { name: 'Length', values: ['5 yards', '10 yards'] },
    ],
  })
  const guide = await api.products.create({
    name: 'Care guide for wood and cloth',
    description: 'A short book to download.',
    price: 2_500,
    type: 'digital',
  })
  await api.products.create({ name: 'Raffia lamp', price: 41_000, quantity: 0, status: 'Draft' })
  const stool = await api.products.create({ name: 'Carved stool', price: 38_000, quantity: 2 })
  await api.products.archive({ productId: stool.productId, archived: true })

  const ids = { chair: chair.productId, cloth: cloth.productId, guide: guide.productId }
  const looks = [TERRACOTTA, INDIGO, PALM]
  for (const [i, productId] of Object.values(ids).entries()) {
    const base64 = (await drawRosette(looks[i]!)).toString('base64')
    await api.products.addMedia({ productId, base64, filename: 'picture.png' })
  }
  for (const productId of [ids.chair, ids.cloth]) {
    await api.deliveryFees.add({ productId, location: 'Lagos', fees: '1500.00' })
    await api.deliveryFees.add({ productId, location: 'Everywhere', fees: '4000.00' })
  }
  const file = new File(['Oil it once a year.'], 'care-guide.txt', { type: 'text/plain' })
  await api.digitalFiles.add({ productId: ids.guide, file })
  return { ids, variantId: cloth.variants[0]!.variantId }
}

async function addDiscounts({ api, clock }: DemoServer): Promise<void> {
  await api.discountCodes.create({ code: 'WELCOME10', type: 'percentage', value: 10 })
  await api.discountCodes.create({ code: 'FRIENDS', type: 'fixed', value: 2_000, maxUses: 50 })
  const endsAt = new Date(clock.now().getTime() + 14 * DAY_MS).toISOString()
  await api.discountCodes.create({ code: 'HARMATTAN', type: 'percentage', value: 15, endsAt })
  await api.discountCodes.create({ code: 'OLD', type: 'fixed', value: 500, status: 'Inactive' })
}

/**
 * The account numbers decide the outcome, such as success or failure. The last transfer waits for
 * approval.
 */
const TRANSFERS = [
  ['0000000001', 120_000, 'Timber, first load'],
  ['0000000002', 45_000, 'Dye and thread'],
  ['0000000003', 60_000, 'Rent of the workshop'],
  ['0000000004', 15_000, 'Fuel'],
  ['0000000006', 30_000, 'Wages'],
  ['0000000007', 22_000, 'Foam and springs'],
  ['0000000001', 640_000, 'Lathe'],
  ['0000000001', 645_000, 'Lathe, once more'],
  ['0000000005', 18_500, 'Cleaning'],
  ['0000000001', 780_000, 'Delivery van, first part'],
] as const

async function* payouts({ api, runJobs }: DemoServer, when: When): Script {
  yield when(18)
  await api.simulator.wallet({ amount: 2_500_000 })
  const split = await api.splitPages.create({ name: 'Deliveries' })
  const codes: string[] = []
  for (const [business_name, account_number, share] of PAYEES) {
    const { subaccount_code } = await api.subaccounts.create({
      business_name,
      account_number,
      bank: 58,
      percentage_charge: 10,
    })
    codes.push(subaccount_code)
    const part = { sub_account_id: subaccount_code, shere: share }
    await api.splitPages.addSubaccount(split.id, part)
  }
  const tailor = { business_name: 'Old tailor', account_number: '0123456789', bank: 44 }
  const { subaccount_code } = await api.subaccounts.create({ ...tailor, percentage_charge: 5 })
  await api.subaccounts.deactivate(subaccount_code)

  for (const daysAgo of [9, 7, 5]) {
    yield when(daysAgo, 11)
    await api.transactions.createUssd({
      channel: 'USSD',
      amount: 18_000,
      pageId: split.id,
      bankCode: '058',
      message: 'Delivery to Surulere',
    })
    await runJobs()
    // Without this call, each payment is settled at the next midnight.
    if (daysAgo === 5) await api.simulator.settlement()
  }
  for (const [i, [accountNumber, amount, narration]] of TRANSFERS.entries()) {
    yield when(15 - i * 1.2, 12)
    await api.transfers.create({ accountNumber, amount, narration, bankCode: '058' })
    await runJobs()
  }
  // Otherwise, the settlement would be retried every night and never succeed.
  yield when(0.45)
  await api.subaccounts.update(codes[1]!, { account_number: '0234567891' })
}

/** The account numbers decide the outcome of settlements: paid, failed or waiting for the bank. */
const PAYEES = [
  ['Musa Riders', '0000000001', 40],
  ['Weavers of Abeokuta', '0000000004', 15],
  ['Ibadan Dyers', '0000000006', 10],
] as const

/** The customer number decides the outcome: delivered, refused or left open by the biller. */
const BILLS = ['08031234567', '08051234567', '0000000002', '0000000006', '08031234567']

async function* bills({ api, runJobs }: DemoServer, when: When): Script {
  for (const [i, customerId] of BILLS.entries()) {
    yield when(45 - i * 10.5, 14)
    const enquiry = { customerId, packageSlug: 'mtn-airtime-top-up' }
    await api.utility.enquireCustomer(enquiry)
    // If the biller refuses, the response is an error, and the bill is in the list.
    await api.utility.processPayment({ ...enquiry, amount: 2_000 }).catch(() => {})
    await runJobs()
  }
}

const FAILURES_MAX = 8

async function* developers(server: DemoServer, when: When): Script {
  const { api, db, ids, clock, runJobs } = server
  yield when(46)
  const scopes = ['invoices:read', 'wallet:read', 'transactions:read']
  const { record } = await db.transaction((tx) =>
    createPartner(tx, ids, { name: 'Ledgerly Books', live: false, scopes }, clock.now()),
  )
  await api.partners.grant({ clientId: record.clientId })

  // One endpoint works. The other keeps failing until it is disabled.
  let failures = 0
  const receiver = createServer((request, response) => {
    request.resume()
    const failed = failures++ < FAILURES_MAX ? 503 : 410
    response.writeHead(request.url === '/webhooks' ? 200 : failed).end()
  }).listen(0, '127.0.0.1')
  receiver.unref()
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  yield when(25)
  const endpoints = []
  for (const path of ['webhooks', 'old-webhooks']) {
    const url = `http://127.0.0.1:${port}/${path}`
    const { reference } = await api.webhooks.create({ url, events: ['order.*', 'transfer.*'] })
    endpoints.push({ reference, path })
  }
  yield when(6)
  await api.webhooks.test(endpoints[0]!.reference, {})
  yield when(0, -0.05)
  await runJobs()
  for (const { reference, path } of endpoints) {
    // This is an example URL, so nothing more is sent to the endpoint.
    const url = `https://shop.example.com/${path}`
    await api.webhooks.update(reference, { url, status: 'Disabled' })
  }
  receiver.close()
  // A program's failed requests, which appear in the request log.
  await api.invoices.get('INV_00000000000000000000').catch(() => {})
  await api.invoices.create({ customerEmail: 'nobody', amount: -1 }).catch(() => {})
}

/** The image size in pixels, and samples per pixel in each direction. */
const SIDE = 160
const LOOKS = 2

/**
 * Renders a PNG of a rosette like those dyed into adire cloth, in one colour on a transparent
 * background.
 */
async function drawRosette(color: string): Promise<Buffer> {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const pixels = Buffer.alloc(SIDE * SIDE * 4)
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const at = (y * SIDE + x) * 4
      pixels.set([red!, green!, blue!, Math.round(255 * inkOf(x, y))], at)
    }
  }
  const sharp = await loadSharp()
  const raw = { width: SIDE, height: SIDE, channels: 4 } as const
  return sharp(pixels, { raw }).png().toBuffer()
}

/** Returns how much of a pixel is dyed, from 0 to 1. */
function inkOf(x: number, y: number): number {
  let inked = 0
  for (let i = 0; i < LOOKS * LOOKS; i++) {
    const across = x + ((i % LOOKS) + 0.5) / LOOKS
    const down = y + (Math.floor(i / LOOKS) + 0.5) / LOOKS
    if (isInk((2 * across) / SIDE - 1, (2 * down) / SIDE - 1)) inked++
  }
  return inked / (LOOKS * LOOKS)
}

const PETALS = 8

/**
 * Returns whether a point is part of the pattern on a disc of radius 1: a ring of dots around a
 * flower, left undyed as if by wax resist.
 */
function isInk(x: number, y: number): boolean {
  const radius = Math.hypot(x, y)
  if (radius > 1) return false
  const turn = Math.atan2(y, x) * PETALS
  const isPetal = radius < 0.62 * Math.abs(Math.cos(turn / 2)) ** 0.6 && radius > 0.2
  if (isPetal || radius < 0.1) return false
  const nearest = (Math.round(turn / Math.PI / 2) * 2 + 1) * (Math.PI / PETALS)
  const between = [nearest, nearest - (2 * Math.PI) / PETALS]
  const isDot = between.some(
    (at) => Math.hypot(x - 0.8 * Math.cos(at), y - 0.8 * Math.sin(at)) < 0.1,
  )
  return !isDot
}
