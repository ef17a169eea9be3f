// Lists all of a business's records, however many pages there are.
import { Tradepost } from '@tradepost/sdk'

const { TRADEPOST_KEY: key, PORT = '4000' } = process.env
const baseUrl = process.env.TRADEPOST_URL ?? `http://127.0.0.1:${PORT}`
const tradepost = new Tradepost({ key, baseUrl })

const { businessName } = await tradepost.profile.get()
console.log(`${businessName}, in ${tradepost.mode} mode`)

let due = 0
for await (const invoice of tradepost.invoices.list({ status: 'Sent' })) due += invoice.amountDue
console.log(`Due: ₦${due}`)

// All lists work the same way, whether they have numbered pages, use a cursor or come in one piece.
const lists = {
  invoices: tradepost.invoices.list(),
  transactions: tradepost.transactions.list({ status: 'Successful' }),
  transfers: tradepost.transfers.list({ limit: 100 }),
  products: tradepost.products.list(),
  events: tradepost.events.list({ sort: 'ASC' }),
  banks: tradepost.banks.list({ ussd: true }),
}
for (const [name, list] of Object.entries(lists)) {
  let count = 0
  for await (const { data } of list.pages()) count += data.length
  console.log(`${name}: ${count}`)
}

// You can also get a single page with its meta.
const { data, meta } = await tradepost.invoices.list({ limit: 2 })
console.log(`The latest ${data.length} of ${meta.total} invoices`)
