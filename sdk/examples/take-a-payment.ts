// Takes a payment by bank transfer: creates a checkout, gets its account, and receives the money.
// In test mode, the simulator plays the payer's bank.
import { Tradepost } from '@tradepost/sdk'

const { TRADEPOST_KEY: key, PORT = '4000' } = process.env
const baseUrl = process.env.TRADEPOST_URL ?? `http://127.0.0.1:${PORT}`
const tradepost = new Tradepost({ key, baseUrl, mode: 'test' })

/** Stands in for the number of a cart in your shop. */
const cart = `cart-${Date.now()}`
const checkout = await tradepost.checkout.initialize(
  { customerEmail: 'ada@example.com', amount: 15000.5, metadata: { cart } },
  // Use your own number: whatever happens to this program, the cart is only checked out once.
  { idempotencyKey: cart },
)
console.log(`The payer can pay at ${checkout.authorizationUrl}`)

const { reference } = checkout
const account = await tradepost.checkout.createVirtualAccount({ reference })
console.log(`… or send ₦${account.amount} to ${account.accountNumber}, ${account.bankName}`)

await tradepost.simulator.deposit({
  accountNumber: account.accountNumber!,
  amount: account.amount,
})

// A webhook tells you sooner (see webhook-receiver.ts), but a request is the way to be certain.
let { state } = checkout
while (state === 'Open') {
  await new Promise((resolve) => setTimeout(resolve, 200))
  state = (await tradepost.checkout.get(reference)).state
}
if (state !== 'Paid') throw new Error(`The checkout is ${state}.`)
const payment = await tradepost.transactions.fetch(account.transactionId)
console.log(`Paid: ${payment.reference}, ₦${payment.netAmount} after fees`)
