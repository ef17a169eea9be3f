// Sends an invoice, downloads its PDF, and handles errors that a form can display.
import { InvalidRequestError, Tradepost } from '@tradepost/sdk'

const { TRADEPOST_KEY: key, PORT = '4000' } = process.env
const baseUrl = process.env.TRADEPOST_URL ?? `http://127.0.0.1:${PORT}`
const tradepost = new Tradepost({ key, baseUrl, mode: 'test' })

try {
  await tradepost.invoices.create({ customerEmail: 'ada at example', amount: '10.001' })
} catch (error) {
  if (!(error instanceof InvalidRequestError)) throw error
  for (const [field, says] of Object.entries(error.fields))
    console.log(`${field} ${says.join(', ')}`)
}

const invoice = await tradepost.invoices.create({
  customerEmail: 'ada@example.com',
  customerName: 'Ada Obi',
  amount: 30000,
  lineItems: [{ name: 'Chair', quantity: 2, unitAmount: 15000 }],
  dueDate: '2030-12-31',
})
console.log(`Sent: ${invoice.invoiceNumber}, payable at ${invoice.hostedUrl}`)

// Files are returned as a Response, which you can save or pass on as a stream.
const pdf = await tradepost.invoices.getPdf(invoice.reference)
console.log(
  `PDF: ${(await pdf.arrayBuffer()).byteLength} bytes of ${pdf.headers.get('content-type')}`,
)
