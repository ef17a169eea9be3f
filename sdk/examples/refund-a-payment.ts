// Takes a payment by USSD and refunds part of it.
import { ApiError, Tradepost } from '@tradepost/sdk'

const { TRADEPOST_KEY: key, PORT = '4000' } = process.env
const baseUrl = process.env.TRADEPOST_URL ?? `http://127.0.0.1:${PORT}`
const tradepost = new Tradepost({ key, baseUrl, mode: 'test' })

/** Repeats a request until its result meets a condition. */
async function until<T>(ask: () => Promise<T>, isSo: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (isSo(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const { transactionId, ussdCode } = await tradepost.transactions.createUssd({
  channel: 'USSD',
  amount: 5000,
})
console.log(`The payer dials ${ussdCode ?? 'the code of a bank'}`)
const payment = await until(
  () => tradepost.transactions.fetch(transactionId),
  ({ status }) => status !== 'Pending',
)
if (payment.status !== 'Successful') throw new Error(`The payment is ${payment.status}.`)

const refund = await tradepost.refunds.create({ transactionId, amount: 1500, reason: 'One broke' })
const done = await until(
  async () => {
    const list = await tradepost.refunds.list({ transactionId }).toArray()
    return list.find(({ reference }) => reference === refund.reference)!
  },
  ({ status }) => status !== 'Pending' && status !== 'Processing',
)
if (done.status !== 'Processed') throw new Error(`${done.reference} is ${done.status}.`)
console.log(`Refunded: ${done.reference}, ₦${done.amount}`)

// A refund can't exceed what is left of the payment.
try {
  await tradepost.refunds.create({ transactionId, amount: 5000 })
} catch (error) {
  if (!(error instanceof ApiError)) throw error
  console.log(`Refused: ${error.status} ${error.code}`, error.fields)
}
