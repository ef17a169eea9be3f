import { expect, test } from 'vitest'
import { startServer } from '../../../../test/harness.ts'
import { openShop } from '../../checkout/checkout.fixture.ts'

const server = await startServer({ jobs: false })
const { page, businessId } = await openShop(server)
const DAY = { name: 'day', label: 'Day', type: 'date', required: false }

async function send(path: string, fields: Record<string, string>) {
  const body = new URLSearchParams(fields)
  const response = await fetch(server.url + path, { method: 'POST', body, redirect: 'manual' })
  const { status, headers } = response
  return { status, headers, html: await response.text(), to: headers.get('location') ?? '' }
}

const countCheckouts = async () =>
  (
    await server.db.one<{ n: number }>`
      select count(*) as n from checkouts where business_id = ${businessId}`
  ).n

test('400 a refused form switches language by submitting itself, which keeps its values', async () => {
  await page({ customLink: 'spoken', customFields: [DAY] })
  const typed = { name: 'Ngozi Eze', email: 'ngozi@', 'f-day': '2026-12-20' }
  const refused = await send('/pay/spoken', typed)
  expect(refused.status).toBe(400)
  const [, form] = /<form[^>]* id="(\w+)"/.exec(refused.html)!
  expect(refused.html).toContain(`<button form="${form}" formaction="?lang=fr"`)

  // Even a valid form is not submitted: the payer only asked for another language.
  for (const email of ['ngozi@', 'ngozi@example.com']) {
    const { status, html, headers } = await send('/pay/spoken?lang=fr', { ...typed, email })
    expect(status).toBe(200)
    expect(headers.get('set-cookie')).toMatch(/^lang=fr; Path=\/; .*HttpOnly/)
    expect(html).toContain('<html lang="fr">')
    for (const value of ['Ngozi Eze', email, '2026-12-20']) expect(html).toContain(`"${value}"`)
    expect(html).toContain('formaction="?lang=en"')
  }
  expect(await countCheckouts()).toBe(0)
  const unknown = await send('/pay/spoken?lang=xx', typed)
  expect([unknown.status, unknown.headers.get('set-cookie')]).toEqual([400, null])
})

test('303 prints a date answer like other dates, and keeps it as given', async () => {
  const link = '/pay/days'
  const note = { name: 'note', label: 'Note', type: 'text', required: false }
  await page({ customLink: 'days', customFields: [DAY, note] })
  const fields = { email: 'ada@example.com', 'f-day': '2026-12-20', 'f-note': '2026-13-45' }
  const { status, to } = await send(link, fields)
  expect(status).toBe(303)
  const html = await (await fetch(server.url + to)).text()
  expect(html).toContain('20 December 2026')
  expect(html).not.toContain('2026-12-20')
  expect(html).toContain('2026-13-45')
  const [row] = await server.db.many<{ answers: string }>`
    select answers from checkouts where business_id = ${businessId}`
  expect(row!.answers).toContain('2026-12-20')
})
