/** Every word of our mails. A function takes what varies, ready to print. */
export const texts = {
  language: 'en',
  /** For amounts and dates. */
  locale: 'en-NG',

  testSubject: (subject: string) => `[Test] ${subject}`,
  testBanner: 'Test mode: no real money moves. This is not a demand for payment.',
  testReceipt: 'Test mode: no real money moved. This is not a proof of payment.',
  greeting: (name: string | undefined) => (name ? `Hello ${name},` : 'Hello,'),
  invoice: (number: string) => `Invoice ${number}`,

  invoiceMail: {
    subject: (number: string, merchant: string, amount: string) =>
      `Invoice ${number} from ${merchant}: ${amount}`,
    subjectDue: (number: string, merchant: string, amount: string, day: string) =>
      `Invoice ${number} from ${merchant}: ${amount} due ${day}`,
    intro: (merchant: string) => `${merchant} sent you an invoice.`,
    paidIntro: (merchant: string) => `Here is your invoice from ${merchant}. It is paid.`,
  },
  reminderMail: {
    subject: (amount: string, merchant: string) => `Reminder: ${amount} to ${merchant}`,
    subjectSoon: (amount: string, merchant: string, day: string) =>
      `Reminder: ${amount} to ${merchant} is due ${day}`,
    subjectToday: (amount: string, merchant: string) => `Due today: ${amount} to ${merchant}`,
    subjectLate: (amount: string, merchant: string, day: string) =>
      `Overdue: ${amount} to ${merchant} was due ${day}`,
    intro: (merchant: string) =>
      `This is a friendly reminder of an invoice from ${merchant} that is still to be paid.`,
    soon: (merchant: string, days: number) =>
      days === 1
        ? `This is a friendly reminder: an invoice from ${merchant} is due tomorrow.`
        : `This is a friendly reminder: an invoice from ${merchant} is due in ${days} days.`,
    today: (merchant: string) => `An invoice from ${merchant} is due today.`,
    late: (merchant: string, days: number) =>
      days === 1
        ? `An invoice from ${merchant} was due yesterday and has not been paid in full.`
        : `An invoice from ${merchant} was due ${days} days ago and has not been paid in full.`,
    ignore: 'If you have paid in the meantime, thank you: there is nothing more to do.',
  },
  amountDue: 'Amount due',
  amountLeft: 'Left to pay',
  amountPaid: 'Paid',
  dueOn: (day: string) => `Due ${day}`,
  wasDueOn: (day: string) => `Was due ${day}`,
  noDueDate: 'Due on receipt',
  pay: (amount: string) => `Pay ${amount}`,
  see: 'See the invoice',
  manual: {
    heading: 'Pay by bank transfer',
    bank: 'Bank',
    number: 'Account number',
    name: 'Account name',
    reference: 'Reference',
  },
  link: 'Or open this address in your browser:',
  details: 'What this is for',
  timesEach: (quantity: string, unit: string) => `${quantity} × ${unit}`,
  moreLines: (count: number) =>
    count === 1 ? 'and one more, on the invoice' : `and ${count} more, on the invoice`,
  total: 'Total',
  paidSoFar: 'Paid so far',

  receiptMail: {
    subject: (amount: string, merchant: string) => `Receipt: ${amount} paid to ${merchant}`,
    whole: (number: string) => `Thank you. Invoice ${number} is paid in full.`,
    part: (number: string) => `Thank you. This is a part payment of invoice ${number}.`,
    amount: 'Amount paid',
    fee: 'Of that, fee',
    date: 'Date',
    channel: 'Paid by',
    reference: 'Reference',
    to: 'Paid to',
    invoice: 'Invoice',
    left: 'Left to pay',
    over: (amount: string, merchant: string) =>
      `You sent ${amount} more than was due. ${merchant} will give it back to you.`,
    payRest: 'Pay the rest',
    see: 'See the invoice and all payments',
  },
  owedBackMail: {
    subject: (amount: string, merchant: string) => `${amount} to come back from ${merchant}`,
    paid: (number: string) =>
      `Your payment has arrived, but invoice ${number} had been paid before.`,
    cancelled: (number: string) =>
      `Your payment has arrived, but invoice ${number} had been cancelled before.`,
    amount: 'To come back to you',
    back: (merchant: string) => `${merchant} will give all of it back to you.`,
  },
  orderMail: {
    subject: (amount: string, merchant: string) => `Receipt: ${amount} paid to ${merchant}`,
    subjectFree: (merchant: string) => `Your order from ${merchant}`,
    paid: (merchant: string) => `Thank you. ${merchant} has your payment.`,
    free: (merchant: string) => `Thank you. ${merchant} has your order; there is nothing to pay.`,
    order: (reference: string) => `Order ${reference}`,
    lines: 'What you bought',
    subtotal: 'Subtotal',
    discount: (code: string) => `Discount ${code}`,
    delivery: (place: string | undefined) => (place ? `Delivery to ${place}` : 'Delivery'),
    fee: 'Fee, on top of the total',
    to: 'Delivered to',
    downloads: 'Your downloads',
    download: 'Download',
    until: (moment: string) => `Until ${moment}`,
    keep: 'These links are yours alone: do not pass them on.',
    see: 'See the receipt',
    pdf: 'As PDF, to keep',
  },
  channel: {
    BANK_TRANSFER: 'Bank transfer',
    USSD: 'USSD',
    CARD: 'Card',
    WALLET: 'Wallet',
    OFFLINE: 'Paid directly',
  },

  replyTo: (merchant: string) => `Questions? Reply to this e-mail: it goes to ${merchant}.`,
  ask: (merchant: string) => `Questions about this? Ask ${merchant}.`,
  phone: (phone: string) => `Phone: ${phone}`,
  poweredBy: 'Payments by Tradepost',
  server: 'Tradepost',
  owner: 'You get this because your address is the one of the business on its Tradepost server.',
}
