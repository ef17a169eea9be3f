import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { launchChromium } from '../test/browser/launch.ts'
import { type Figure, median, report } from './figures.ts'
import { type Server, startServer } from './server.ts'

const VISITS = 15
const WARM_UP_VISITS = 2
const BARE = 'bare page'
const COMMERCE = '/api/payment-service/external/v1'

/**
 * Measures the total weight of payer pages over the wire, and the first paint in a phone-sized
 * browser with an empty cache, beside a one-word page from a bare server in the same run.
 */
export async function measurePages(): Promise<Figure[]> {
  const server = await startServer()
  const bare = createServer((_request, answer) => {
    answer.setHeader('content-type', 'text/html; charset=utf-8')
    answer.end('<!doctype html><title>Bare</title><p>Pay')
  })
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
  const browser = await launchChromium()
  try {
    const { port } = bare.address() as AddressInfo
    const urls = { ...(await pagesOf(server)), [BARE]: `http://127.0.0.1:${port}/` }
    const visits = Object.entries(urls).map(([name, url]) => ({
      name,
      url,
      weights: [] as number[],
      paints: [] as number[],
    }))
    for (let i = -WARM_UP_VISITS; i < VISITS; i++) {
      for (const { url, weights, paints } of visits) {
        const { kb, paintMs } = await visit(browser, url)
        if (i >= 0) weights.push(kb) && paints.push(paintMs)
      }
    }
    return report(visits.flatMap(figuresOf))
  } finally {
    await browser.close()
    bare.close()
    await server.stop()
  }
}

interface Visits {
  name: string
  weights: number[]
  paints: number[]
}

function figuresOf({ name, weights, paints }: Visits): Figure[] {
  const weight = Math.max(...weights)
  const paint = median(paints)
  const isOurs = name !== BARE
  return [
    {
      goal: 14,
      what: `${name}: weight`,
      value: weight,
      unit: ' kB',
      ...(isOurs && { atMost: 15 }),
    },
    {
      goal: 14,
      what: `${name}: first paint`,
      value: paint,
      unit: ' ms',
      ...(isOurs && { atMost: 200 }),
    },
  ]
}

async function pagesOf(server: Server): Promise<Record<string, string>> {
  const origin = `http://127.0.0.1:${server.port}`
  const post = async (path: string, body: object) => {
    const response = await fetch(origin + COMMERCE + path, {
      method: 'POST',
      headers: { ...server.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} for ${path}: ${text}`)
    return JSON.parse(text).data
  }
  const here = (url: string) => origin + new URL(url).pathname
  const customerEmail = 'ada@example.com'
  const { hostedUrl } = await post('/invoices', { customerEmail, amount: 15_000.5, note: 'Chairs' })
  const product = { name: 'Ankara shirt', price: 7_500, quantity: 100 }
  const { productId } = await post('/products/create-product', product)
  const page = { title: 'Market day', productIds: [productId] }
  const { url } = await post('/payment-pages/create-pages', page)
  const checkout = await post('/initialize-checkout', { customerEmail, amount: 2_500 })
  return {
    invoice: here(hostedUrl),
    'payment page': here(url),
    checkout: here(checkout.authorizationUrl),
  }
}

/** Visits a page with an empty cache. */
async function visit(browser: Browser, url: string): Promise<{ kb: number; paintMs: number }> {
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
    return { kb: bytes / 1000, paintMs }
  } finally {
    await context.close()
  }
}
