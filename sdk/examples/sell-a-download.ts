// Puts a book on sale: a product with an image and a file, on its own payment page.
import { Tradepost } from '@tradepost/sdk'

const { TRADEPOST_KEY: key, PORT = '4000' } = process.env
const baseUrl = process.env.TRADEPOST_URL ?? `http://127.0.0.1:${PORT}`
const tradepost = new Tradepost({ key, baseUrl, mode: 'test' })

const { productId } = await tradepost.products.create({
  name: `Field guide ${new Date().toISOString()}`,
  price: 2500,
  type: 'digital',
})
// For a file on disk, use `await fs.openAsBlob(path)` in Node, `Bun.file(path)` or any other Blob.
const book = new File(['Look down: there are ants.'], 'field-guide.txt', { type: 'text/plain' })
const { name, bytes } = await tradepost.digitalFiles.add({ productId, file: book })
console.log(`Stored: ${name}, ${bytes} bytes`)

const page = await tradepost.paymentPages.create({ title: 'Field guide', productIds: [productId] })
console.log(`On sale: ${page.url}`)
