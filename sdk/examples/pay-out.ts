// Sends money to a bank account exactly once, and waits for the outcome.
import { ConnectionError, Tradepost } from '@tradepost/sdk'

const { TRADEPOST_KEY: key, PORT = '4000' } = process.env
const baseUrl = process.env.TRADEPOST_URL ?? `http://127.0.0.1:${PORT}`
const tradepost = new Tradepost({ key, baseUrl, mode: 'test' })

/** Stands in for a record of your own, which has the same id however often the program runs. */
const payslip = { id: 'payslip-2026-11-0042', amount: 5000 }

const [wallet] = (await tradepost.wallet.getBalance()).data
console.log(`There are ₦${wallet!.available}`)

const owner = await tradepost.banks.resolveAccount({ bankCode: '058', accountNumber: '0000000001' })
console.log(`The account is ${owner.accountName}’s`)

const transfer = await tradepost.transfers
  .create(
    {
      amount: payslip.amount,
      bankCode: '058',
      accountNumber: '0000000001',
      narration: 'Wages',
      // Never pays the payslip again: after a day, when the key has expired, this is a 409.
      transferReference: payslip.id,
    },
    { idempotencyKey: payslip.id },
  )
  .catch((error: unknown) => {
    // If all retries have failed, the outcome is unknown. Keep the key and use it to send the
    // request again.
    if (error instanceof ConnectionError) console.error('Keep', error.idempotencyKey)
    throw error
  })

let { status } = transfer
while (status === 'Pending') {
  await new Promise((resolve) => setTimeout(resolve, 200))
  status = (await tradepost.transfers.get(transfer.reference)).status
}
console.log(`${status}: ${transfer.reference}`)
