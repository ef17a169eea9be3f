import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../test/browser/launch.ts'
import { startBenchServer } from './server.ts'

/**
 * Measures the total weight of payer pages over the wire, and the first paint in a phone-sized
 * browser with an empty cache, compared with a one-word page from a bare server in the same run.
 */
const RUNS = Number(process.env.BENCH_RUNS ?? 15)
const COMMERCE = '/api/payment-service/external/v1'

const server = await startBenchServer()
const origin = `http://127.0.0.1:${server.port}`

async function post(path: string, body: object) {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} for ${path}: ${text}`)
  return JSON.parse(text).data
}

const here = (url: string) => origin + new URL(url).pathname

async function pages(): Promise<Record<string, string>> {
  const invoice = { customerEmail: 'ada@example.com', amount: 15_000.5, note: 'Two chairs' }
  const { hostedUrl } = await post(`${COMMERCE}/invoices`, invoice)
  const product = { name: 'Ankara shirt', price: 7_500, quantity: 100 }
  const { productId } = await post(`${COMMERCE}/products/create-product`, product)
  const page = { title: 'Market day', productIds: [productId] }
  const { url } = await post(`${COMMERCE}/payment-pages/create-pages`, page)
  const wanted = { customerEmail: 'ada@example.com', amount: 2_500 }
  const checkout = await post(`${COMMERCE}/initialize-checkout`, wanted)
  return {
    invoice: here(hostedUrl),
    'payment page': here(url),
    checkout: here(checkout.authorizationUrl),
  }
}

const bare = createServer((_request, answer) => {
  answer.setHeader('content-type', 'text/html; charset=utf-8')
  answer.end('<!doctype html><title>Bare</title><p>Pay')
})
await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))

/** Bytes over the wire, and milliseconds to the first paint. */
async function look(browser: Browser, url: string): Promise<{ bytes: number; paintMs: number }> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  try {
    const page = await context.newPage()
    const wire = await context.newCDPSession(page)
    let bytes = 0
    await wire.send('Network.enable')
    wire.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
    })
    await page.goto(url, { waitUntil: 'load' })
    const paintMs: number = await page.evaluate(
      `new Promise((resolve) => new PerformanceObserver((list) => {
        const [paint] = list.getEntriesByName('first-contentful-paint')
        if (paint) resolve(paint.startTime)
      }).observe({ type: 'paint', buffered: true }))`,
    )
    return { bytes, paintMs }
  } finally {
    await context.close()
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

const browser = await launchChromium()
try {
  const { port } = bare.address() as AddressInfo
  const all = { ...(await pages()), 'bare page': `http://127.0.0.1:${port}/` }
  const seen = new Map(Object.keys(all).map((name) => [name, { bytes: 0, paints: [] as number[] }]))
  for (let i = -2; i < RUNS; i++) {
    for (const [name, url] of Object.entries(all)) {
      const { bytes, paintMs } = await look(browser, url)
      if (i < 0) continue
      const of = seen.get(name)!
      of.bytes = Math.max(of.bytes, bytes)
      of.paints.push(paintMs)
    }
  }
  const bareMs = median(seen.get('bare page')!.paints)
  console.log(`medians of ${RUNS} visits, cache empty\n`)
  console.log(`${''.padEnd(16)}${'on the wire'.padStart(12)}${'first paint'.padStart(13)}   × bare`)
  for (const [name, { bytes, paints }] of seen) {
    const paint = median(paints)
    const cells = [
      `${(bytes / 1000).toFixed(1)} kB`.padStart(12),
      `${paint.toFixed(0)} ms`.padStart(13),
    ]
    console.log(`${name.padEnd(16)}${cells.join('')}${(paint / bareMs).toFixed(2).padStart(9)}`)
  }
} finally {
  await browser.close()
  bare.close()
  await server.stop()
}
