import type { InvoiceView, PaymentAttempt, PaymentMade } from '../../src/pages/views.ts'

/** Invented examples of every state of an invoice that a payer can see, by name. */
export const NOW = new Date('2026-11-21T13:02:00Z')
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)

const BANKS = [
  { code: '044', name: 'Access Bank' },
  { code: '070', name: 'Fidelity Bank' },
  { code: '011', name: 'First Bank of Nigeria' },
  { code: '058', name: 'Guaranty Trust Bank' },
  { code: '033', name: 'United Bank for Africa' },
  { code: '057', name: 'Zenith Bank' },
]

const open: InvoiceView = {
  token: 'a1B2c3D4e5F6g7H8',
  version: 'v1',
  test: false,
  merchant: { name: 'Adunni Foods', email: 'hello@adunni.example', phone: '+234 803 555 0142' },
  invoice: {
    number: 'INV-000123',
    reference: 'INV_8fK2mQ9sLx',
    status: 'Sent',
    note: 'Catering for the naming ceremony on Saturday, thank you for choosing us.',
    customerName: 'Chinedu Okafor',
    lineItems: [
      {
        name: 'Jollof rice, tray',
        quantity: 3,
        unitAmountMinor: 650_000n,
        amountMinor: 1_950_000n,
      },
      { name: 'Chapman, 5 litres', quantity: 1, unitAmountMinor: 400_050n, amountMinor: 400_050n },
      {
        name: 'Delivery to Surulere',
        quantity: 1,
        unitAmountMinor: 150_000n,
        amountMinor: 150_000n,
      },
    ],
    amountMinor: 2_500_050n,
    paidMinor: 0n,
    dueMinor: 2_500_050n,
    currency: 'NGN',
    dueDate: '2026-11-28',
    isOverdue: false,
    createdAt: new Date('2026-11-18T09:30:00Z'),
  },
  channels: ['BANK_TRANSFER', 'USSD', 'CARD'],
  ussdBanks: BANKS,
  payments: [],
  now: NOW,
  timeZone: 'Africa/Lagos',
}

const transfer: PaymentAttempt = {
  reference: 'TRX_transfer1',
  channel: 'BANK_TRANSFER',
  amountMinor: 2_500_050n,
  expiresAt: inMinutes(29.5),
  outcome: 'Pending',
  account: { number: '9912045678', name: 'Adunni Foods / Tradepost', bankName: 'Wema Bank' },
}

const { account: _, ...notStarted } = transfer

const ussd: PaymentAttempt = {
  reference: 'TRX_ussd1',
  channel: 'USSD',
  amountMinor: 2_500_050n,
  expiresAt: inMinutes(9),
  outcome: 'Pending',
  ussd: {
    banks: BANKS.map((bank) => ({ ...bank, ussdCode: '*737*000*48211#' })),
    chosen: '058',
    ussdCode: '*737*000*48211#',
  },
}

const card: PaymentAttempt = {
  reference: 'TRX_card1',
  channel: 'CARD',
  amountMinor: 2_500_050n,
  expiresAt: inMinutes(28),
  outcome: 'Pending',
  hosted: { url: 'https://checkout.example.com/8fk2mq9slx', hasReturned: false },
}

const payment: PaymentMade = {
  reference: 'TRX_9sLx8fK2mQ',
  channel: 'BANK_TRANSFER',
  amountMinor: 2_500_050n,
  paidAt: NOW,
  kind: 'Payment',
}

const withInvoice = (changes: Partial<InvoiceView['invoice']>, view = open): InvoiceView => ({
  ...view,
  invoice: { ...view.invoice, ...changes },
})

const paid = withInvoice(
  { status: 'Paid', paidMinor: 2_500_050n, dueMinor: 0n, paidAt: NOW },
  { ...open, payments: [payment] },
)

const partly = withInvoice(
  { status: 'PartiallyPaid', paidMinor: 1_000_000n, dueMinor: 1_500_050n },
  { ...open, payments: [{ ...payment, amountMinor: 1_000_000n }] },
)

export const STATES: Record<string, InvoiceView> = {
  open,
  overdue: withInvoice({ isOverdue: true, dueDate: '2026-11-14' }),
  plain: {
    ...withInvoice({ lineItems: [], note: 'Deposit' }),
    channels: ['BANK_TRANSFER'],
    merchant: { name: 'Bello & Sons' },
  },
  'no-way': { ...open, channels: [] },
  transfer: { ...open, payment: transfer },
  'transfer-fee': {
    ...open,
    payment: { ...transfer, amountMinor: 2_547_550n, feeMinor: 47_500n },
  },
  'transfer-test': { ...open, test: true, payment: transfer },
  ussd: { ...open, payment: ussd },
  'ussd-test': { ...open, test: true, payment: ussd },
  card: { ...open, payment: card },
  'card-fee': { ...open, payment: { ...card, amountMinor: 2_547_550n, feeMinor: 47_500n } },
  'card-returned': {
    ...open,
    payment: { ...card, hosted: { ...card.hosted!, hasReturned: true } },
  },
  'card-expired': { ...open, payment: { ...card, outcome: 'Abandoned' } },
  'not-started': { ...open, payment: notStarted },
  failed: { ...open, payment: { ...ussd, outcome: 'Failed', message: 'Insufficient funds' } },
  expired: { ...open, payment: { ...transfer, outcome: 'Abandoned' } },
  partly,
  part: { ...open, part: { leastMinor: 10_000n, value: '25000.50' } },
  'part-refused': {
    ...partly,
    part: { leastMinor: 10_000n, value: '50', fault: 'too_little' },
  },
  paid,
  'paid-test': { ...paid, test: true },
  overpaid: {
    ...paid,
    payments: [payment, { ...payment, reference: 'TRX_second', kind: 'Overpayment' }],
  },
  'paid-in-parts': {
    ...paid,
    payments: [
      { ...payment, amountMinor: 1_000_000n, paidAt: new Date('2026-11-20T08:00:00Z') },
      { ...payment, amountMinor: 1_500_050n, reference: 'TRX_rest', channel: 'USSD' },
    ],
  },
  void: withInvoice({ status: 'Void' }),
  // The extremes: long words, the largest amount, two hundred letters without a space.
  extreme: {
    ...withInvoice({
      amountMinor: 10_000_000_000_000n,
      dueMinor: 10_000_000_000_000n,
      note: 'x'.repeat(200),
      lineItems: [
        {
          name: 'Supercalifragilisticexpialidocious'.repeat(3),
          quantity: 1000,
          unitAmountMinor: 10_000_000_000n,
          amountMinor: 10_000_000_000_000n,
        },
      ],
    }),
    merchant: {
      name: 'The Very Long and Honourable Company of Merchants of Abeokuta Limited',
      email: `${'long'.repeat(15)}@${'domain'.repeat(8)}.example`,
    },
    payment: {
      ...transfer,
      amountMinor: 10_000_000_000_000n,
      expiresAt: inMinutes(480),
      account: { number: '9912045678', name: 'W'.repeat(60), bankName: 'Microfinance '.repeat(6) },
    },
  },
}
