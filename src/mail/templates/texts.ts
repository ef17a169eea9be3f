/**
 * The wording of our emails. Wording with variable parts is a function that takes those parts,
 * already formatted.
 */
export const texts = {
  language: 'en',
  /** Used to format amounts and dates. */
  locale: 'en-NG',

  testSubject: (subject: string) => `[Test] ${subject}`,
  testBanner: 'Test mode: no real money moves. This is not a demand for payment.',
  testReceipt: 'Test mode: no real money moved. This is not proof of payment.',
  greeting: (name: string | undefined) => (name ? `Hello ${name},` : 'Hello,'),
  invoice: (number: string) => `Invoice ${number}`,

  invoiceMail: {
    subject: (number: string, merchant: string, amount: string) =>
      `Invoice ${number} from ${merchant}: ${amount}`,
    subjectDue: (number: string, merchant: string, amount: string, day: string) =>
      `Invoice ${number} from ${merchant}: ${amount} due ${day}`,
    intro: (merchant: string) => `${merchant} sent you an invoice.`,
    paidIntro: (merchant: string) => `Here’s your invoice from ${merchant}. It has been paid.`,
  },
  reminderMail: {
    subject: (amount: string, merchant: string) => `Reminder: ${amount} to ${merchant}`,
    subjectSoon: (amount: string, merchant: string, day: string) =>
      `Reminder: ${amount} to ${merchant} is due ${day}`,
    subjectToday: (amount: string, merchant: string) => `Due today: ${amount} to ${merchant}`,
    subjectLate: (amount: string, merchant: string, day: string) =>
      `Overdue: ${amount} to ${merchant} was due ${day}`,
    intro: (merchant: string) =>
      `This is a friendly reminder that an invoice from ${merchant} is still unpaid.`,
    soon: (merchant: string, days: number) =>
      days === 1
        ? `This is a friendly reminder that an invoice from ${merchant} is due tomorrow.`
        : `This is a friendly reminder that an invoice from ${merchant} is due in ${days} days.`,
    today: (merchant: string) => `An invoice from ${merchant} is due today.`,
    late: (merchant: string, days: number) =>
      days === 1
        ? `An invoice from ${merchant} was due yesterday and has not been paid in full.`
        : `An invoice from ${merchant} was due ${days} days ago and has not been paid in full.`,
    ignore: 'If you’ve already paid, thank you! You can ignore this email.',
  },
  amountDue: 'Amount due',
  amountLeft: 'Left to pay',
  amountPaid: 'Paid',
  dueOn: (day: string) => `Due ${day}`,
  wasDueOn: (day: string) => `Was due ${day}`,
  noDueDate: 'Due on receipt',
  pay: (amount: string) => `Pay ${amount}`,
  see: 'View invoice',
  manual: {
    heading: 'Pay by bank transfer',
    bank: 'Bank',
    number: 'Account number',
    name: 'Account name',
    reference: 'Reference',
  },
  link: 'Or open this link in your browser:',
  details: 'Details',
  timesEach: (quantity: string, unit: string) => `${quantity} × ${unit}`,
  moreLines: (count: number) =>
    count === 1 ? 'and one more on the invoice' : `and ${count} more on the invoice`,
  total: 'Total',
  paidSoFar: 'Paid so far',

  receiptMail: {
    subject: (amount: string, merchant: string) => `Receipt: ${amount} paid to ${merchant}`,
    whole: (number: string) => `Thank you. Invoice ${number} is paid in full.`,
    part: (number: string) =>
      `Thank you. This is a receipt for a partial payment of invoice ${number}.`,
    amount: 'Amount paid',
    fee: 'Fee included',
    date: 'Date',
    channel: 'Paid by',
    reference: 'Reference',
    to: 'Paid to',
    invoice: 'Invoice',
    left: 'Left to pay',
    over: (amount: string, merchant: string) =>
      `You sent ${amount} more than was due. ${merchant} will refund it to you.`,
    payRest: 'Pay the rest',
    see: 'View invoice and payments',
  },
  owedBackMail: {
    subject: (amount: string, merchant: string) => `Refund due: ${amount} from ${merchant}`,
    paid: (number: string) =>
      `We received your payment, but invoice ${number} had already been paid.`,
    cancelled: (number: string) =>
      `We received your payment, but invoice ${number} had already been cancelled.`,
    amount: 'Amount to be refunded',
    back: (merchant: string) => `${merchant} will refund the full amount.`,
  },
  orderMail: {
    subject: (amount: string, merchant: string) => `Receipt: ${amount} paid to ${merchant}`,
    subjectFree: (merchant: string) => `Your order from ${merchant}`,
    paid: (merchant: string) => `Thank you. ${merchant} has received your payment.`,
    free: (merchant: string) =>
      `Thank you. ${merchant} has received your order. There’s nothing to pay.`,
    order: (reference: string) => `Order ${reference}`,
    lines: 'Your items',
    subtotal: 'Subtotal',
    discount: (code: string) => `Discount ${code}`,
    delivery: (place: string | undefined) => (place ? `Delivery to ${place}` : 'Delivery'),
    fee: 'Fee (added to the total)',
    to: 'Delivered to',
    downloads: 'Your downloads',
    download: (name: string) => `Download ${name}`,
    until: (moment: string) => `Expires ${moment}`,
    keep: 'These links are only for you. Please don’t share them.',
    see: 'View receipt',
    pdf: 'Download as PDF',
  },
  channel: {
    BANK_TRANSFER: 'Bank transfer',
    USSD: 'USSD',
    CARD: 'Card',
    WALLET: 'Wallet',
    OFFLINE: 'Paid directly',
  },

  replyTo: (merchant: string) => `Questions? Reply to this email to contact ${merchant}.`,
  ask: (merchant: string) => `Questions? Contact ${merchant}.`,
  phone: (phone: string) => `Phone: ${phone}`,
  poweredBy: 'Payments by Tradepost',
  server: 'Tradepost',
  owner:
    'You’re receiving this because your email address is the contact address of a business on this Tradepost server.',
}
