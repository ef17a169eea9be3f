/** The title and the text of a page that says one thing. */
type Said = readonly [title: string, text: string]

/** What a payer reads on a payment page, on its checkout and on its receipt. */
export const shop = {
  order: (reference: string) => `Order ${reference}`,
  payment: (reference: string) => `Payment ${reference}`,
  subtotal: 'Before discount and delivery',
  discount: (code: string) => `Discount ${code}`,
  delivery: 'Delivery',
  deliveryTo: (place: string) => `Delivery to ${place}`,
  feeApart: 'Some ways to pay add a fee: it stands with each of them.',
  receiptTo: 'Receipt goes to',
  keptUntil: (time: string) => `Kept for you until ${time}`,
  cancel: 'Cancel this payment',
  again: 'Begin again',
  nothing: 'Nothing to pay any more',
  title: {
    expired: (merchant: string) => `Time ran out · ${merchant}`,
    cancelled: (merchant: string) => `Cancelled · ${merchant}`,
  },
  state: { expired: 'Expired', cancelled: 'Cancelled', refunded: 'Given back' },
  expired: {
    heading: 'The time to pay is over',
    text: 'Please send no money to an account number from here. Begin again to pay.',
  },
  cancelled: {
    heading: 'This payment was cancelled',
    text: 'Nothing was kept for you. Please send no money to an account number from here.',
  },
  owed: {
    Kept: (amount: string, merchant: string) =>
      `You sent ${amount} that was not due. ${merchant} will give it back to you.`,
    Refunding: (amount: string) => `${amount} that you sent is on its way back to you.`,
    Refunded: (amount: string) => `${amount} that you sent was given back to you.`,
  },
  refunded: (merchant: string) => `${merchant} gave all of this payment back.`,
  mailed: (email: string) => `We send the receipt to ${email}, too.`,
  downloads: 'Your downloads',
  download: (name: string) => `Download ${name}`,
  left: (count: string) => `Can be opened ${count} more times.`,
  goodUntil: (day: string) => `Good until ${day}.`,
  backTo: (merchant: string) => `Back to ${merchant}`,
  announce: { expired: 'The time to pay is over.', cancelled: 'This payment was cancelled.' },

  page: {
    by: 'Payment page',
    skip: 'Skip to the form',
    amount: 'Amount',
    yours: 'How much would you like to pay?',
    other: 'Another amount',
    least: (amount: string) => `At least ${amount}.`,
    goods: 'What would you like?',
    pick: 'Please choose',
    soldOut: 'Sold out',
    few: (count: string) => `${count} left`,
    quantityOf: (product: string) => `Quantity of ${product}`,
    about: 'About you',
    email: 'E-mail address',
    name: 'Name',
    phone: 'Phone number',
    shipping: 'Delivery',
    location: 'Where to deliver',
    elsewhere: 'Anywhere else',
    address: 'Delivery address',
    code: 'Discount code',
    optional: 'optional',
    go: 'Continue to the payment',
    before: 'You see the total with all fees before you pay.',
    faults: 'Please look at these again',
    fault: {
      required: () => 'Please fill this in.',
      email: () => 'Please write an e-mail address, such as ada@example.com.',
      phone: () => 'Please write a phone number, such as 0803 555 0142.',
      number: () => 'Please write a number in digits.',
      date: () => 'Please choose a day.',
      choice: () => 'Please choose one from the list.',
      long: () => 'Please write less here.',
      unreadable: () => 'Please write an amount in digits, such as 2500 or 2500.50.',
      least: (amount: string) => `Please pay at least ${amount}.`,
      most: (amount: string) => `Please pay at most ${amount} at once.`,
      quantity: () => 'Please write how many, in digits.',
      stock: (count: string) => `Only ${count} of it can be had now.`,
      gone: () => 'This cannot be bought any more.',
      nothing: () => 'Please choose how many of at least one thing.',
      delivery: () => 'It is not delivered there. Please choose another place.',
      discount: () => 'This code does not work here. Change it, or leave it out.',
    },
  },
  closed: {
    unpublished: (merchant: string): Said => [
      'Not open now',
      `This page takes no payments at the moment. Ask ${merchant}.`,
    ],
    over: (merchant: string): Said => [
      'It is over',
      `The time to pay on this page is over. Ask ${merchant}.`,
    ],
    deleted: (merchant: string): Said => [
      'It is gone',
      `${merchant} took this page down. Ask them for a new link.`,
    ],
    full: (merchant: string): Said => [
      'All places are taken',
      `This page takes no more payments. Ask ${merchant}.`,
    ],
    soldOut: (merchant: string): Said => [
      'Sold out',
      `Nothing is left to buy here at the moment. Ask ${merchant}.`,
    ],
  },
}

export type ShopTexts = typeof shop
