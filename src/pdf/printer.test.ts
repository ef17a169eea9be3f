import { afterEach, describe, expect, test } from 'vitest'
import { openPrinter } from './printer.ts'
import type { InvoicePdfView } from './views.ts'

const open: ReturnType<typeof openPrinter>[] = []
const printerWith = (options: Parameters<typeof openPrinter>[0] = {}) => {
  const printer = openPrinter(options)
  open.push(printer)
  return printer
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((printer) => printer.close()))
})

const view = (number: string, more: Partial<InvoicePdfView['invoice']> = {}): InvoicePdfView => ({
  test: true,
  merchant: { name: 'Ada Ventures', brand: { color: '#0b5f45' } },
  invoice: {
    number,
    reference: 'INV_1',
    status: 'Sent',
    lineItems: [],
    amountMinor: 100n,
    paidMinor: 0n,
    dueMinor: 100n,
    currency: 'NGN',
    isOverdue: false,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ...more,
  },
  customer: { email: 'ada@example.com' },
  payments: [],
  timeZone: 'Africa/Lagos',
  locale: 'en-NG',
})

const UNDRAWABLE = { createdAt: new Date(Number.NaN) }
const isPdf = (bytes: Buffer) => bytes.subarray(0, 5).toString() === '%PDF-'

describe('the printer', () => {
  test('draws in turn, and draws equal views once', async () => {
    const { print } = printerWith()
    const [first, second, again] = await Promise.all(['A', 'B', 'A'].map((n) => print(view(n))))
    expect([first, second].map((bytes) => isPdf(bytes!))).toEqual([true, true])
    expect(first!.equals(second!)).toBe(false)
    expect(again).toBe(first)
  })

  test('refuses when too many wait, and accepts more once they are drawn', async () => {
    const { print } = printerWith({ waitingMax: 2 })
    const outcomes = await Promise.allSettled(['A', 'B', 'C', 'D', 'E'].map((n) => print(view(n))))
    expect(outcomes.map(({ status }) => status)).toEqual([
      // One is being rendered; two are waiting.
      ...['fulfilled', 'fulfilled', 'fulfilled'],
      ...['rejected', 'rejected'],
    ])
    expect(outcomes[3]).toMatchObject({
      reason: { kind: 'unavailable', code: 'pdf_busy', retryAfterSeconds: 1 },
    })
    expect(isPdf(await print(view('D')))).toBe(true)
  })

  test('continues with a new thread after a failure, and does not keep the failure', async () => {
    const { print } = printerWith()
    const wrong = view('A', UNDRAWABLE)
    const outcomes = await Promise.allSettled([wrong, view('B')].map(print))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    await expect(print(wrong)).rejects.toThrow(RangeError)
    expect(isPdf(await print(view('C')))).toBe(true)
  })

  test('draws again after it has rested', async () => {
    const { print } = printerWith({ idleMs: 1 })
    const first = await print(view('A'))
    // The cache is dropped with the thread.
    const isKept = async () => (await print(view('A'))) === first
    await expect.poll(isKept, { timeout: 30_000 }).toBe(false)
    expect((await print(view('A'))).equals(first)).toBe(true)
  })

  test('says that it is closing, also to those waiting', async () => {
    const { print, close } = printerWith()
    const waiting = Promise.allSettled(['A', 'B'].map((n) => print(view(n))))
    await Promise.resolve()
    await close()
    for (const outcome of await waiting) expect(outcome).toMatchObject({ reason: CLOSING })
    await expect(print(view('C'))).rejects.toMatchObject(CLOSING)
  })
})

const CLOSING = { kind: 'unavailable', code: 'closing' }
