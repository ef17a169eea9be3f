import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { contents, pagesOf } from '../../../test/pdf.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const PLAIN = '/api/payment-service/v1/invoices'

const server = await startServer({ jobs: false })
const { post, url } = server

const make = async (more: object = {}) => {
  const { body } = await post(PATH, { customerEmail: 'ada@example.com', amount: 1500.5, ...more })
  return body.data as {
    reference: string
    invoiceNumber: string
    pdfUrl: string
    createdAt: string
  }
}

async function download(path: string, key = server.business.keys.testSecret) {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
  return { ...answer, status: answer.status, headers: answer.headers, bytes: await bytesOf(answer) }
}
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())
const pdf = async ({ reference }: { reference: string }) =>
  (await download(`${PATH}/${reference}/pdf`)).bytes

describe('GET invoices/{reference}/pdf', () => {
  test('200 is a PDF with a file name, in both families', async () => {
    const invoice = await make()
    for (const base of [PATH, PLAIN]) {
      const { status, headers, bytes } = await download(`${base}/${invoice.reference}/pdf`)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('application/pdf')
      expect(headers.get('content-disposition')).toBe(
        `inline; filename="${invoice.invoiceNumber}.pdf"`,
      )
      expect(bytes.subarray(0, 8).toString()).toBe('%PDF-1.7')
      expect(bytes.length).toBeLessThan(40_000)
    }
  })

  test('200 has the same bytes each time, and takes its date from the invoice', async () => {
    const invoice = await make({ note: 'Thank you' })
    const first = await pdf(invoice)
    expect((await pdf(invoice)).equals(first)).toBe(true)
    const digits = invoice.createdAt.replace(/\D/g, '').slice(0, 14)
    expect(contents(first)).toContain(`(D:${digits}Z)`)
  })

  test('200 embeds its letters, including the naira sign and marks below letters', async () => {
    const bytes = await pdf(await make({ customerName: 'Ṣọlá Ẹniọlá' }))
    const text = contents(bytes)
    expect(text).toMatch(/\/BaseFont \/[A-Z]{6}\+Inter/)
    // ₦, Ẹ and ọ can be copied from the file.
    for (const code of ['20a6', '1eb8', '1ecd']) expect(text.toLowerCase()).toContain(code)
    expect(text).toContain('/MarkInfo')
    expect(text).toContain('/Lang (en-NG)')
  })

  test('200 continues over as many pages as the lines need', async () => {
    const line = (n: number) => ({ name: `Item ${n} ${'with a name '.repeat(12)}`, quantity: 1 })
    const lineItems = Array.from({ length: 100 }, (_, n) => ({ ...line(n), unitAmount: 10 }))
    expect(pagesOf(await pdf(await make()))).toBe(1)
    const bytes = await pdf(await make({ amount: 1000, lineItems }))
    expect(pagesOf(bytes)).toBeGreaterThan(6)
    expect(bytes.length).toBeLessThan(200_000)
  })

  test.each([
    ['many line breaks', '\n'.repeat(2000)],
    ['no place for a line break', 'x'.repeat(2000)],
    ['letters missing from the font', '你好 🎉 ع \u0007\u200b'.repeat(50)],
  ])('200 takes a note with %s', async (_what, note) => {
    const customerName = note.replace(/\p{Cc}/gu, '').slice(0, 100) || 'A'
    const bytes = await pdf(await make({ note, customerName }))
    expect(bytes.subarray(-6).toString()).toContain('%%EOF')
    expect(pagesOf(bytes)).toBeLessThan(50)
  })

  test('200 collapses several blank lines of a note into one', async () => {
    // The same Draft for all: other text on it, above all a random URL, could change the line
    // breaks.
    const { reference } = await make({ sendImmediately: false })
    const linesOf = async (note: string) => {
      expect((await server.put(`${PATH}/${reference}`, { note })).status).toBe(200)
      return contents(await pdf({ reference })).match(/^\[<[^\]]*\] TJ$/gm)!.length
    }
    const usual = await linesOf('Thank you\n\nand come again')
    expect(await linesOf('Thank you and come again')).toBe(usual - 1)
    const many = ['\n'.repeat(600), '\r'.repeat(600), '\u2028'.repeat(600), ' \r\n\t'.repeat(150)]
    for (const breaks of many) {
      expect(await linesOf(`${breaks}Thank you${breaks}and come again${breaks}`)).toBe(usual)
    }
    expect(pagesOf(await pdf({ reference }))).toBe(1)
  })

  test('500 in the envelope for an invoice that cannot be drawn; the next one can', async () => {
    const [broken, whole] = [await make(), await make()]
    // PostgreSQL supports years that JavaScript does not.
    await server.db.run`update invoices set created_at = '290000-01-01T00:00:00Z'
      where reference = ${broken.reference}`
    const { status, body } = await server.get(`${PATH}/${broken.reference}/pdf`)
    expect([status, body.errorCode]).toEqual([500, 'internal'])
    expect(JSON.stringify(body)).not.toMatch(/RangeError|Invalid/)
    expect(server.logLines.join('')).toContain('RangeError')
    expect((await pdf(whole)).subarray(0, 5).toString()).toBe('%PDF-')
  })

  test('503 with Retry-After when the queue is full', async () => {
    const { reference } = await make()
    const made = await Promise.all(Array.from({ length: 60 }, () => make()))
    const answers = await Promise.all(made.map((one) => server.get(`${PATH}/${one.reference}/pdf`)))
    const busy = answers.filter(({ status }) => status !== 200)
    expect(busy.length).toBeGreaterThan(0)
    for (const { status, body, headers } of busy) {
      expect([status, body.errorCode]).toEqual([503, 'pdf_busy'])
      expect(headers.get('retry-after')).toBe('1')
    }
    expect((await server.get(`${PATH}/${reference}/pdf`)).status).toBe(200)
  })

  test('200 in every state, and different in each', async () => {
    const draft = await make({ sendImmediately: false })
    const seen = [await pdf(draft)]
    await post(`${PATH}/${draft.reference}/send`)
    seen.push(await pdf(draft))
    await post(`${PATH}/${draft.reference}/mark-paid`, { amount: 500 })
    seen.push(await pdf(draft))
    await post(`${PATH}/${draft.reference}/mark-paid`)
    seen.push(await pdf(draft))
    const voided = await make()
    await post(`${PATH}/${voided.reference}/void`)
    seen.push(await pdf(voided))
    expect(new Set(seen.map((bytes) => bytes.toString('latin1'))).size).toBe(5)
    // Only an invoice that can be paid links to its payment page.
    expect(seen.map((bytes) => contents(bytes).includes('/URI'))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ])
  })

  test('404 for an unknown invoice and another business’s, in JSON', async () => {
    const { reference } = await make()
    const { keys } = await server.newBusiness()
    const other = await server.as(keys.testSecret).get(`${PATH}/${reference}/pdf`)
    expect([other.status, other.body.errorCode]).toEqual([404, 'invoice_not_found'])
    expect((await server.get(`${PATH}/INV_nothing/pdf`)).status).toBe(404)
    expect((await server.as('nope').get(`${PATH}/${reference}/pdf`)).status).toBe(401)
  })
})

describe('GET /i/{token}/pdf', () => {
  test('200 gives the payer the same file without a key', async () => {
    const invoice = await make()
    const answer = await fetch(url + new URL(invoice.pdfUrl).pathname)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-disposition')).toContain(invoice.invoiceNumber)
    expect((await bytesOf(answer)).equals(await pdf(invoice))).toBe(true)
  })

  test('404 as a page for a Draft and for a wrong token', async () => {
    const draft = await make({ sendImmediately: false })
    const path = new URL(draft.pdfUrl).pathname
    for (const wrong of [path, path.replace(/.\/pdf$/, '~/pdf')]) {
      const answer = await fetch(url + wrong)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toContain('text/html')
    }
  })
})
