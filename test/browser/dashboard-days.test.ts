import { expect, test } from 'vitest'
import { dayText } from '../../dashboard/src/ui/typed-days.ts'
import { startServer } from '../harness.ts'
import { field, hasValue, isTitled, press, shows } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { expectFine, LONG, openerOf, WAIT } from './dashboard.ts'

const server = await startServer({ jobs: false })
const { newPage } = withBrowser()
const openAt = openerOf(server, newPage)

test('a date can be typed in any usual format and is shown in one', LONG, async () => {
  const { page, trouble, api } = await openAt('/test/invoices/new')
  await isTitled(page, 'New invoice')
  const day = field(page, 'Due date')
  for (const typed of ['2 Nov 2031', '02/11/2031', '2031-11-02', 'november 2, 2031']) {
    await day.fill(typed)
    await day.blur()
    await expect.poll(() => day.inputValue(), WAIT).toBe('2 Nov 2031')
  }
  await day.fill('31 Feb 2031')
  await day.blur()
  await shows(page, 'Enter a date, such as 2 Nov 2026.')
  await expectFine(page)
  await day.fill('2 Nov 2031')
  await field(page, 'Email address').fill('bola@days.example')
  await field(page, 'Amount').fill('2500')
  await press(page, 'Save as draft')
  await isTitled(page, /^Invoice /)
  await shows(page, '2 Nov 2031')
  const path = '/api/payment-service/external/v1/invoices?limit=1'
  expect((await api.get(path)).body.data[0].dueDate).toBe('2031-11-02')

  // The URL has the filter in the format of the API.
  await page.goto(`${server.url}/test/invoices`)
  await press(page, 'Filter')
  await field(page, 'From').fill('3 Nov 2031')
  await page.waitForURL(/startDate=2031-11-03/, WAIT)
  await shows(page, 'Nothing matches these filters')
  await hasValue(field(page, 'From'), '3 Nov 2031')
  expect(trouble()).toEqual([])
})

test('a customer was seen on the business’s day', LONG, async () => {
  // Half an hour before midnight, when it is already the next day in Lagos.
  const DAY_MS = 24 * 3_600_000
  const now = server.clock.now().getTime()
  server.clock.advance(DAY_MS - (now % DAY_MS) + 23.5 * 3_600_000)
  const { page, trouble, api } = await openAt('/test/overview')
  await api.post('/api/payment-service/external/v1/invoices', {
    customerEmail: 'bola@days.example',
    amount: 2_500,
  })
  await page.goto(`${server.url}/test/customers/bola%40days.example`)
  const next = new Date(server.clock.now().getTime() + DAY_MS).toISOString()
  const shown = () => page.locator('main').innerText()
  await expect.poll(shown, WAIT).toContain(`First seen\n\n${dayText(next.slice(0, 10))}`)
  expect(await shown()).toContain(`Last seen\n\n${dayText(next.slice(0, 10))}`)
  expect(trouble()).toEqual([])
})
