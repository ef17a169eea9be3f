/** The statuses that have their own message page. All others use the wording for 400 or 500. */
export type MessageStatus = 400 | 404 | 405 | 409 | 410 | 429 | 500 | 503 | 'closed'

const message: Record<MessageStatus, readonly [title: string, text: string]> = {
  400: ['Something went wrong', 'That request wasn’t valid. Go back and try again.'],
  404: ['We couldn’t find this page', 'Check that you copied the whole link.'],
  405: ['Something went wrong', 'Please open your link again.'],
  409: ['This payment has just changed', 'Go back to the payment page to see its status.'],
  410: ['This link has expired', 'Ask the person who sent it for a new one.'],
  429: ['Too many requests', 'Please wait a minute, then try again.'],
  500: [
    'Something went wrong on our side',
    'Check this page again in a few minutes before you try to pay again.',
  ],
  503: [
    'Back in a moment',
    'We’re very busy, or carrying out an update. You haven’t been charged. Try again in a moment.',
  ],
  closed: [
    'Not open at the moment',
    'You can’t pay here right now, and you haven’t been charged. Try again later.',
  ],
}

/** Wording for the payment page, the checkout and the receipt. */
const shop = {
  order: (reference: string) => `Order ${reference}`,
  payment: (reference: string) => `Payment ${reference}`,
  subtotal: 'Subtotal',
  discount: (code: string) => `Discount ${code}`,
  delivery: 'Delivery',
  deliveryTo: (place: string) => `Delivery to ${place}`,
  fee: 'Fee',
  feeApart: 'Some payment methods add a fee. It’s shown next to each method.',
  receiptTo: 'Email for receipt',
  /**
   * Requested at checkout if the goods are delivered and the payer has not given an address yet.
   */
  address: {
    heading: 'Where should it be delivered?',
    text: (merchant: string) => `${merchant} needs an address for your order.`,
    label: 'Street, house number, town and state',
    save: 'Save address',
    change: 'Change address',
    missing: 'Enter an address of up to 1,000 characters.',
  },
  change: 'Change order',
  keptUntil: (time: string) => `Reserved until ${time}`,
  payUntil: (time: string) => `Pay by ${time}`,
  cancel: 'Cancel this payment',
  /** Asks for confirmation before a payment is cancelled. */
  sure: 'Cancel this payment? Your items will no longer be reserved.',
  yes: 'Yes, cancel it',
  again: 'Start again',
  askNew: (merchant: string) => `Ask ${merchant} for a new payment link.`,
  /** For a payer who starts again after the discount has ended or been used up. */
  discountOver: (merchant: string): Said => [
    'This discount is no longer valid',
    `So this payment can’t be started again. You can place a new order at ${merchant}.`,
  ],
  nothing: 'Not paid',
  title: {
    expired: (merchant: string) => `Payment link expired · ${merchant}`,
    cancelled: (merchant: string) => `Cancelled · ${merchant}`,
  },
  state: { expired: 'Expired', cancelled: 'Cancelled', refunded: 'Refunded' },
  expired: {
    heading: 'This payment link has expired',
    text: 'Please don’t send money to an account number from this page.',
  },
  cancelled: {
    heading: 'This payment was cancelled',
    headingBy: (merchant: string) => `This payment was cancelled by ${merchant}`,
    text: 'Your items are no longer reserved. Please don’t send money to an account number from this page.',
  },
  owed: {
    Kept: (amount: string, merchant: string) =>
      `You sent ${amount} that you didn’t owe. ${merchant} will refund it to you.`,
    Refunding: (amount: string) => `We are returning the ${amount} you sent.`,
    Refunded: (amount: string) => `We returned the ${amount} you sent.`,
  },
  refunded: (merchant: string) => `${merchant} refunded this payment in full.`,
  mailed: (email: string) => `We’re also sending the receipt to ${email}.`,
  downloads: 'Your downloads',
  download: (name: string) => `Download ${name}`,
  left: (count: string) => `Downloads left: ${count}.`,
  goodUntil: (day: string) => `Expires on ${day}.`,
  backTo: (merchant: string) => `Back to ${merchant}`,
  announce: { expired: 'This payment link has expired.', cancelled: 'This payment was cancelled.' },

  page: {
    by: 'Payment page',
    skip: 'Skip to the form',
    amount: 'Amount',
    yours: 'How much would you like to pay?',
    other: 'Another amount',
    least: (amount: string) => `Minimum ${amount}.`,
    goods: 'What would you like?',
    pick: 'Please choose',
    soldOut: 'Sold out',
    few: (count: string) => `${count} left`,
    quantityOf: (product: string) => `Quantity of ${product}`,
    less: (product: string) => `Remove one ${product}`,
    more: (product: string) => `Add one ${product}`,
    pictures: (product: string) => `Images of ${product}`,
    picture: (n: string, of: string) => `Image ${n} of ${of}`,
    from: (amount: string) => `From ${amount}`,
    /** Adds the chosen variant to the order, so that the payer can choose another one as well. */
    add: 'Add and choose another',
    remove: (kind: string) => `Remove ${kind}`,
    soldOutKinds: (kinds: string) => `Sold out: ${kinds}`,
    order: 'Your order',
    apply: 'Apply',
    applied: (code: string) => `${code} has been applied.`,
    update: 'Update total',
    unknown: 'Choose where to deliver',
    about: 'About you',
    email: 'Email address',
    name: 'Name',
    phone: 'Phone number',
    shipping: 'Delivery',
    location: 'Where to deliver',
    elsewhere: 'Anywhere else',
    address: 'Delivery address',
    code: 'Discount code',
    optional: 'optional',
    go: 'Continue to payment',
    before: 'You’ll see the total with all fees before you pay.',
    faults: 'Please fix the following',
    fault: {
      required: () => 'This is required.',
      email: () => 'Enter an email address, such as ada@example.com.',
      phone: () => 'Enter a phone number, such as 0803 555 0142.',
      number: () => 'Enter a number in digits.',
      date: () => 'Please choose a date.',
      choice: () => 'Please choose an option from the list.',
      long: () => 'This is too long.',
      unreadable: () => 'Enter an amount in digits, such as 2500 or 2500.50.',
      twoAmounts: (amount: string) =>
        `You chose ${amount} and also typed another amount. Keep the one that you typed, or clear it and choose again.`,
      least: (amount: string) => `Please pay at least ${amount}.`,
      most: (amount: string) => `You can pay up to ${amount} at a time.`,
      quantity: () => 'Enter a quantity in digits.',
      stock: (count: string) => `Only ${count} left.`,
      gone: () => 'This is no longer available.',
      nothing: () => 'Choose at least one item.',
      delivery: () => 'Delivery isn’t available there. Choose another place.',
      discount: () => 'This code isn’t valid here. Change it or leave it blank.',
      tooMany: () => 'Too many invalid codes. Leave this blank, or try again in an hour.',
    },
  },
  closed: {
    notYet: (merchant: string): Said => [
      'Not open yet',
      `This page can’t take payments yet. Please contact ${merchant}.`,
    ],
    unpublished: (merchant: string): Said => [
      'Not open right now',
      `This page isn’t taking payments at the moment. Please contact ${merchant}.`,
    ],
    over: (merchant: string): Said => [
      'This page has closed',
      `It’s no longer taking payments. Please contact ${merchant}.`,
    ],
    deleted: (merchant: string): Said => [
      'This page was removed',
      `${merchant} took this page down. Ask them for a new link.`,
    ],
    full: (merchant: string): Said => [
      'Payment limit reached',
      `This page is no longer taking payments. Please contact ${merchant}.`,
    ],
    soldOut: (merchant: string): Said => [
      'Sold out',
      `Everything here is sold out at the moment. Please contact ${merchant}.`,
    ],
  },
}

/**
 * All wording for payers, in English. Every other language is an object of the type `Texts`.
 * Wording with variable parts is a function that takes those parts, already formatted, because word
 * order differs between languages.
 */
export const en = {
  language: 'en',
  /** The locale for amounts and dates, unless the payer's own locale applies. */
  locale: 'en-NG',
  /** The language's own name, for the language switch, and the label of the switch. */
  name: 'English',
  chooseLanguage: 'Language',

  title: {
    due: (amount: string, merchant: string) => `Pay ${amount} to ${merchant}`,
    waiting: (amount: string, merchant: string) => `Waiting for ${amount} · ${merchant}`,
    paid: (amount: string, merchant: string) => `Paid ${amount} · ${merchant}`,
    void: (number: string, merchant: string) => `${number} cancelled · ${merchant}`,
  },
  invoice: (number: string) => `Invoice ${number}`,
  amountDue: 'Amount due',
  amountLeft: 'Left to pay',
  amountPaid: 'Paid',
  amountVoid: 'Nothing to pay',
  billedTo: 'Billed to',
  issued: 'Issued',
  due: 'Due',
  dueOn: (day: string) => `Due ${day}`,
  noDueDate: 'Due on receipt',
  state: {
    open: 'Unpaid',
    overdue: 'Overdue',
    partly: 'Partly paid',
    paid: 'Paid',
    void: 'Cancelled',
  },

  details: 'Details',
  items: { name: 'Item', quantity: 'Quantity', unit: 'Unit price', amount: 'Amount' },
  timesEach: (quantity: string, unit: string) => `${quantity} × ${unit}`,
  total: 'Total',
  paidSoFar: 'Paid so far',
  leftToPay: 'Left to pay',
  paidOf: (paid: string, total: string) => `${paid} of ${total} paid`,

  choose: 'How would you like to pay?',
  /** Shown after a partial payment. */
  received: {
    heading: (amount: string) => `${amount} received`,
    text: (left: string) => `Thank you! ${left} is left to pay.`,
    choose: 'How would you like to pay the rest?',
  },
  part: {
    label: 'Amount to pay now',
    hint: (least: string) => `Pay the full amount, or at least ${least}.`,
    fault: {
      unclear: () => 'Enter a single amount.',
      unreadable: () => 'Enter an amount in digits, such as 2500 or 2500.50.',
      too_little: (least: string) => `Please pay at least ${least}.`,
      too_much: (_least: string, due: string) => `Only ${due} is left to pay.`,
    },
  },
  transfer: {
    name: 'Bank transfer',
    pitch: 'Send the money from any bank app. You’ll get an account number just for this payment.',
    start: 'Pay by bank transfer',
    heading: (amount: string) => `Send ${amount} to this account`,
    exact: 'Send exactly this amount. Any other amount will be returned.',
    number: 'Account number',
    bank: 'Bank',
    accountName: 'Account name',
    amount: 'Amount',
    expiry: (time: string) => `This account accepts a single payment until ${time}.`,
    waiting: 'Waiting for your transfer',
    usually: 'This page updates automatically, usually within a minute of you sending the money.',
  },
  ussd: {
    name: 'USSD',
    pitch: 'Dial a code on your phone. No internet or app needed.',
    bank: 'Your bank',
    chooseBank: 'Choose your bank',
    start: 'Get a code to dial',
    heading: (bank: string) => (bank ? `Dial this code to pay with ${bank}` : 'Dial this code'),
    code: 'USSD code',
    dial: 'Dial now',
    scan: 'On another device? Scan this with your phone to dial the code.',
    qr: 'QR code that dials the USSD code',
    approve: (amount: string) =>
      `Approve ${amount} with your bank PIN. We’ll never ask for your PIN.`,
    steps: 'What to do',
    line: 'Use the phone number linked to your bank account.',
    back: 'Then come back to this page.',
    expiry: (time: string) => `The code works until ${time}.`,
    change: 'Show code',
    changeBank: 'Another bank',
    waiting: 'Waiting for your approval',
    usually:
      'This page updates automatically, usually within a minute of you approving the payment.',
  },
  card: {
    name: 'Card or bank account',
    pitch: 'Pay on our payment provider’s secure page, by card or straight from your bank account.',
    start: 'Pay by card',
    heading: (amount: string) => `Pay ${amount} on the secure page`,
    text: 'Our payment provider takes the payment on its secure page. Afterwards, you come back here.',
    go: 'Continue to the secure page',
    expiry: (time: string) => `You can pay until ${time}.`,
    waiting: 'Waiting for your payment',
    usually: 'This page updates automatically, usually within a minute of you paying.',
    /** Shown to a payer who has come back. */
    checking: 'Checking your payment',
    checkingText:
      'This page updates automatically, usually within a minute. If you’ve been charged, please don’t pay again.',
    retry:
      'Did you leave without paying, or was your card declined? Go back to the secure page, or pay another way.',
    paid: 'I’ve paid',
  },
  includesFee: (amount: string, fee: string) => `${amount} includes a fee of ${fee}.`,
  timeLeft: 'Time left',
  paidCheck: 'I’ve sent the money',
  notYet: 'We haven’t received your payment yet. We’ll keep checking.',
  reloads:
    'This page checks for your payment every 20 seconds. You can also press the button after paying.',
  another: 'Pay another way',
  copy: 'Copy',
  copied: 'Copied',
  copyOf: (what: string) => `Copy ${what.toLowerCase()}`,
  copiedOf: (what: string) => `${what} copied`,

  failed: {
    heading: 'That payment didn’t go through',
    text: 'No payment was made. Try again, or pay another way.',
  },
  abandoned: {
    heading: 'This payment has expired',
    transfer: 'Please don’t send money to the previous account number. Get a new one here.',
    ussd: 'The previous code no longer works. Get a new one here.',
    card: 'We didn’t receive this payment in time. If you’ve been charged, please don’t pay again: we’re still checking.',
  },
  notStarted: {
    heading: 'This payment hasn’t started yet',
    text: 'The bank hasn’t responded. Try again in a minute, or pay another way.',
  },
  manual: {
    heading: 'Pay by bank transfer',
    text: (merchant: string, number: string) =>
      `Use ${number} as the reference. ${merchant} will mark the invoice as paid once the money arrives.`,
  },
  noWay: {
    heading: 'This can’t be paid online right now',
    text: (merchant: string) =>
      `${merchant} hasn’t turned on online payments yet. Please ask them how to pay.`,
  },
  void: {
    heading: 'This invoice was cancelled',
    text: (merchant: string) => `${merchant} cancelled it, so there’s nothing to pay.`,
    paid: (amount: string, merchant: string) =>
      `You already paid ${amount}. Please contact ${merchant} about a refund.`,
  },
  paid: {
    heading: 'Payment received. Thank you!',
    text: (merchant: string) => `We’ve let ${merchant} know. Keep this page as your receipt.`,
    amount: 'Amount paid',
    date: 'Date',
    channel: 'Paid by',
    reference: 'Reference',
    to: 'Paid to',
    print: 'Print receipt',
    several: 'Payments',
    refunded: 'Refunded',
    refundedBy: (amount: string, merchant: string) => `${merchant} refunded ${amount} to you.`,
    over: (amount: string, merchant: string) =>
      `You sent ${amount} more than was due. ${merchant} will refund it to you.`,
  },
  channel: {
    BANK_TRANSFER: 'Bank transfer',
    USSD: 'USSD',
    CARD: 'Card',
    WALLET: 'Wallet',
    OFFLINE: 'Paid directly',
  },

  /** Wording for invoice and receipt PDFs. */
  paper: {
    title: 'Invoice',
    receipt: 'Receipt',
    customer: 'Customer',
    download: 'Download as PDF',
    paid: 'PAID',
    void: 'CANCELLED',
    draft: 'DRAFT',
    test: 'TEST',
    note: 'Note',
    owedBack: 'to be refunded',
    pay: 'Pay online',
    scan: 'Scan the code with your phone, or open this link:',
    qr: 'QR code for the payment page',
    page: (n: number, of: number) => `Page ${n} of ${of}`,
  },

  test: {
    mark: 'Test',
    banner: 'Test mode: no real money moves',
    heading: 'Simulator',
    text: 'Choose what the payer’s bank does:',
    transfer: 'Simulate: pay by transfer',
    approve: 'Simulate: approve USSD',
    decline: 'Simulate: decline',
    card: {
      heading: 'Simulated card page',
      text: 'In live mode, this is the payment provider’s page. Choose what happens:',
      pay: (amount: string) => `Pay ${amount}`,
      decline: 'Decline the card',
      slow: 'Pay, but confirm it late',
      leave: 'Leave without paying',
      over: 'This payment has ended',
    },
    receipt: 'Created in test mode. This is not proof of payment.',
  },
  announce: {
    paid: (amount: string) => `Payment of ${amount} received. Thank you.`,
    partly: (amount: string) => `Partial payment received. ${amount} is left to pay.`,
    void: 'This invoice was cancelled.',
  },

  questions: (merchant: string) => `Questions? Contact ${merchant}`,
  poweredBy: 'Payments by Tradepost',
  skip: 'Skip to the payment',
  back: 'Back to payment',
  requestId: 'If you contact us for help, quote',
  shop,
  message,
}

export type Texts = typeof en

type Said = readonly [title: string, text: string]

export type ShopTexts = typeof shop
