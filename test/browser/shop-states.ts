import {
  type CheckoutView,
  type PageContext,
  type PaymentPageView,
  renderCheckoutPage,
  renderOrderReceipt,
  renderPaymentPage,
} from '../../src/pages/pages.ts'
import { NOW, STATES } from './states.ts'

/* Invented examples of every state of a payment page, a checkout and its receipt, by name. */

interface ShopState {
  view: CheckoutView | PaymentPageView
  html(ctx: PageContext): string
}

const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)
const { merchant } = STATES.open!

const fixed: PaymentPageView = {
  path: '/pay/school-fees',
  test: false,
  merchant,
  title: 'School fees, second term',
  description: 'Please write the name of the child.\nReceipts come by email.',
  currency: 'NGN',
  timeZone: 'Africa/Lagos',
  amount: { kind: 'fixed', minor: 4_500_000n },
  products: [],
  locations: [],
  fields: [],
  asks: { phone: false, address: false, discount: false },
  values: {},
  faults: [],
  once: 'c3RhbmQtaW4tZm9ybS0xMg',
}

const { amount, ...withoutAmount } = fixed
const kind = (id: number, values: string[], priceMinor: bigint) => ({
  id,
  name: values.join(', '),
  values,
  priceMinor,
  isSoldOut: false,
})
const single = { pictures: [], options: [], variants: [], isDelivered: false, fees: [] }
const goods: PaymentPageView = {
  ...withoutAmount,
  path: '/pay/ankara-week',
  title: 'Ankara week',
  color: '#d9480f',
  products: [
    {
      id: 11,
      name: 'Ankara T-shirt',
      description: 'Cotton, sewn in Abeokuta.',
      pictures: [],
      priceMinor: 500_000n,
      options: [
        { name: 'Size', values: ['M', 'L', 'XL'] },
        { name: 'Colour', values: ['Red'] },
      ],
      variants: [
        kind(21, ['M', 'Red'], 500_000n),
        { ...kind(22, ['L', 'Red'], 550_000n), isSoldOut: true },
        { ...kind(23, ['XL', 'Red'], 600_000n), left: 3 },
      ],
      isDelivered: true,
      fees: [
        ['lagos', 70_000n],
        ['everywhere', 250_000n],
      ],
      isSoldOut: false,
    },
    {
      id: 12,
      name: 'Pattern book (PDF)',
      priceMinor: 150_000n,
      ...single,
      isSoldOut: false,
      left: 4,
    },
    {
      id: 13,
      name: 'Gele',
      priceMinor: 900_000n,
      ...single,
      isSoldOut: true,
      left: 0,
    },
  ],
  locations: [
    { value: 'Lagos', isElsewhere: false, feeMinor: 70_000n },
    { value: 'Everywhere', isElsewhere: true, feeMinor: 250_000n },
  ],
  fields: [
    { name: 'child', label: 'Name of the child', type: 'text', required: true, options: [] },
    { name: 'age', label: 'Age', type: 'number', required: false, options: [] },
    { name: 'team', label: 'Team', type: 'select', required: true, options: ['Kites', 'Eagles'] },
    { name: 'day', label: 'Day of the party', type: 'date', required: false, options: [] },
    { name: 'aunt', label: 'Aunt to call', type: 'phone', required: false, options: [] },
  ],
  asks: { phone: true, address: true, discount: true },
  values: { 'o-11-0': 'M', 'o-11-1': 'Red', 'q-11': '0', 'q-12': '0' },
  totals: {
    subtotalMinor: 0n,
    delivery: 'none',
    totalMinor: 0n,
    isDelivered: true,
  },
}

const chosen: PaymentPageView = {
  ...fixed,
  title: 'Support the library',
  color: '#ffe94d',
  test: true,
  amount: { kind: 'chosen', leastMinor: 50_000n, suggested: [100_000n, 250_000n, 1_000_000n] },
}

const pages: Record<string, PaymentPageView> = {
  'page-fixed': fixed,
  'page-goods': goods,
  'page-goods-wrong': {
    ...goods,
    isTyped: true,
    values: {
      'o-11-0': 'XL',
      'o-11-1': 'Red',
      'q-11': '9',
      'q-11-21': 'x',
      'q-12': '9',
      email: 'ada@',
      'f-age': 'old',
      phone: '1',
    },
    faults: [
      { field: 'q-11-21', code: 'quantity' },
      { field: 'q-11', code: 'stock', count: 3 },
      { field: 'q-12', code: 'stock', count: 4 },
      { field: 'email', code: 'email' },
      { field: 'phone', code: 'phone' },
      { field: 'f-age', code: 'number' },
      { field: 'f-team', code: 'choice' },
      { field: 'deliveryLocation', code: 'delivery' },
      { field: 'discountCode', code: 'discount' },
    ],
  },
  'page-one': {
    ...goods,
    products: [goods.products[0]!],
    values: { 'o-11-0': 'XL', 'o-11-1': 'Red', 'q-11': '1', 'q-11-21': '2', discountCode: 'TEN' },
    totals: {
      subtotalMinor: 1_600_000n,
      discount: { code: 'TEN', minor: 160_000n },
      terms: { type: 'percentage', value: '1000', products: [] },
      delivery: 'unknown',
      totalMinor: 1_440_000n,
      isDelivered: true,
    },
  },
  'page-sold-out-kind': {
    ...goods,
    values: { 'o-11-0': 'L', 'o-11-1': 'Red', 'q-11': '1' },
    faults: [{ field: 'q-11', code: 'gone' }],
  },
  'page-nothing': { ...goods, faults: [{ field: 'goods', code: 'nothing' }] },
  'page-chosen': chosen,
  'page-chosen-wrong': {
    ...chosen,
    values: { amount: '12' },
    faults: [{ field: 'amount', code: 'least', minor: 50_000n }],
  },
  'page-chosen-twice': {
    ...chosen,
    values: { amount: '1,200', suggested: '' },
    faults: [{ field: 'amount', code: 'twoAmounts', minor: 250_000n }],
  },
  'page-free': { ...fixed, amount: { kind: 'chosen', suggested: [] } },
  'page-extreme': {
    ...goods,
    title: 'Supercalifragilisticexpialidocious'.repeat(3),
    values: { 'o-11-0': 'y'.repeat(90), 'q-11': '0' },
    products: [
      {
        ...goods.products[0]!,
        name: 'x'.repeat(120),
        options: [{ name: 'z'.repeat(40), values: ['y'.repeat(90)] }],
        variants: [kind(1, ['y'.repeat(90)], 10_000_000_000_000n)],
      },
    ],
  },
}

const open: CheckoutView = {
  accessCode: '1t-2-a1B2c3D4e5F6g7H8i9J0k1',
  version: 'v1',
  test: false,
  merchant,
  reference: 'CHK_8fK2mQ9sLx',
  status: 'Open',
  isRefunded: false,
  page: { title: 'Ankara week', color: '#d9480f', customLink: 'ankara-week' },
  customer: { email: 'chinedu@example.com', name: 'Chinedu Okafor', phone: '0803 555 0142' },
  lines: [
    {
      name: 'Ankara T-shirt (M, Red)',
      quantity: 2,
      unitAmountMinor: 500_000n,
      amountMinor: 1_000_000n,
    },
    {
      name: 'Pattern book (PDF)',
      quantity: 1,
      unitAmountMinor: 150_000n,
      amountMinor: 150_000n,
    },
  ],
  subtotalMinor: 1_150_000n,
  discount: { code: 'TEN', amountMinor: 115_000n },
  delivery: { location: 'Lagos', address: '1 Allen Avenue,\nIkeja', feeMinor: 70_000n },
  amountMinor: 1_105_000n,
  feeMinor: 0n,
  currency: 'NGN',
  channels: [
    { channel: 'BANK_TRANSFER', feeMinor: 0n, payableMinor: 1_105_000n },
    { channel: 'USSD', feeMinor: 0n, payableMinor: 1_105_000n },
    { channel: 'CARD', feeMinor: 0n, payableMinor: 1_105_000n },
  ],
  ussdBanks: STATES.open!.ussdBanks,
  payments: [],
  answers: [{ label: 'Team', value: 'Kites' }],
  downloads: [],
  orderReference: 'ORD_9sLx8fK2mQ',
  keptUntil: inMinutes(15),
  expiresAt: inMinutes(30),
  createdAt: NOW,
  now: NOW,
  timeZone: 'Africa/Lagos',
}

const paid: CheckoutView = {
  ...open,
  status: 'Paid',
  channels: [],
  paidAt: NOW,
  payments: [{ ...STATES.paid!.payments[0]!, amountMinor: 1_105_000n }],
  page: { ...open.page!, successMessage: 'See you at the party!\nBring a friend.' },
  downloads: [
    {
      name: 'pattern-book.pdf',
      bytes: 2_400_000,
      path: '/d/1t-3-a1B2c3D4e5F6g7H8i9J0k1',
      expiresAt: inMinutes(3 * 24 * 60),
      left: 5,
    },
  ],
  returnUrl: 'https://shop.example/thanks?reference=CHK_8fK2mQ9sLx&status=success&signature=0f',
}

const withFees = open.channels.map((one) => ({
  ...one,
  feeMinor: 26_575n,
  payableMinor: 1_131_575n,
}))

const { discount, delivery, keptUntil, ...bare } = open
const amountAlone: CheckoutView = {
  ...bare,
  page: { title: 'Support the library', color: '#ffe94d' },
  lines: [],
  subtotalMinor: open.amountMinor,
  answers: [],
}

const checkouts: Record<string, CheckoutView> = {
  'checkout-open': open,
  'checkout-fee': { ...open, test: true, channels: withFees },
  'checkout-amount-alone': amountAlone,
  'checkout-sent-back': { ...amountAlone, sentBackMinor: 99_900n },
  'checkout-transfer': { ...open, test: true, payment: STATES.transfer!.payment! },
  'checkout-ussd': { ...open, test: true, payment: STATES.ussd!.payment! },
  'checkout-failed': { ...open, payment: STATES.failed!.payment! },
  'checkout-no-way': { ...open, channels: [] },
  'checkout-expired': { ...open, status: 'Expired', channels: [] },
  'checkout-expired-owed': {
    ...open,
    status: 'Expired',
    channels: [],
    owed: { amountMinor: 1_105_000n, state: 'Refunding' },
  },
  'checkout-cancelled': {
    ...open,
    status: 'Cancelled',
    channels: [],
    owed: { amountMinor: 5_000n, state: 'Refunded' },
    returnUrl: paid.returnUrl!,
  },
  'checkout-cancelled-by-business': {
    ...open,
    status: 'Cancelled',
    cancelledBy: 'business',
    channels: [],
  },
  'checkout-paid': paid,
  'checkout-paid-twice': {
    ...paid,
    test: true,
    owed: { amountMinor: 1_105_000n, state: 'Kept' },
    payments: [...paid.payments, { ...paid.payments[0]!, reference: 'TRX_2', kind: 'Overpayment' }],
  },
  'checkout-given-back': { ...paid, isRefunded: true, downloads: [] },
}

export const SHOP_STATES: Record<string, ShopState> = {
  ...stateOf(pages, renderPaymentPage),
  ...stateOf(checkouts, renderCheckoutPage),
  ...stateOf({ receipt: paid }, renderOrderReceipt),
}

function stateOf<View extends ShopState['view']>(
  views: Record<string, View>,
  render: (view: View, ctx: PageContext) => string,
): Record<string, ShopState> {
  const states = Object.entries(views).map(
    ([name, view]) => [name, { view, html: (ctx: PageContext) => render(view, ctx) }] as const,
  )
  return Object.fromEntries(states)
}
