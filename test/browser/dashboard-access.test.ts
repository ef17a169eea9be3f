import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { browserAt, PASSWORD } from '../../src/business/people/people.fixture.ts'
import type { Role } from '../../src/business/people/roles.ts'
import { startServer } from '../harness.ts'
import { enter, heading, isAt } from './actions.ts'
import { withBrowser } from './chromium.ts'
import { LONG, openerOf, settled, unfold, WAIT } from './dashboard.ts'

const server = await startServer()
const { newPage } = withBrowser()
const INVOICES = '/api/payment-service/external/v1/invoices'
const MONEY = '/api/transaction-service/external/v1'
const USER = '/api/user-service/external/v1'
const INVOICE = { customerEmail: 'ada@example.com', amount: 9, sendImmediately: false }
const TRANSFER = { amount: 10, bankCode: '058', accountNumber: '0123456785' }
const ACCOUNT = { business_name: 'Stall', account_number: '0123456785', percentage_charge: 2 }
const INVITED = { email: 'new@example.com', role: 'viewer' }
const ENDPOINT = { url: 'https://shop.example/hooks' }

/** An operation with a valid body, and the status it returns for a role. */
type Asked = [status: number, mode: 'test' | 'live', path: string, body: object]

interface Expected {
  /** Entries of the navigation. */
  hides: string[]
  shows: string[]
  /** Screens whose URL shows that the role does not include them. */
  closed: string[]
  asks: Asked[]
}

const PRIVATE = ['Transfers', 'Subaccounts', 'Split pages', 'Settlements', 'Bills and airtime']
const TECHNICAL = ['Webhooks', 'Events', 'Request log', 'API keys', 'Partners', 'Team']
const REFUSED_TO_ALL_BUT_MONEY: Asked[] = [
  [403, 'test', `${MONEY}/transfers`, TRANSFER],
  [403, 'test', `${MONEY}/subaccounts`, ACCOUNT],
  [403, 'test', '/console/keys', {}],
  [403, 'test', '/console/team/invite', INVITED],
  [403, 'test', `${USER}/webhooks`, ENDPOINT],
]

/** The table of docs/design/people.md, as the dashboard shows it. */
const ROLES: [Role, Expected][] = [
  [
    'admin',
    {
      hides: [],
      shows: [...PRIVATE, ...TECHNICAL, 'Audit log', 'Wallet'],
      closed: [],
      asks: [
        [201, 'test', INVOICES, INVOICE],
        [200, 'test', `${MONEY}/subaccounts`, ACCOUNT],
        [403, 'test', '/console/team/invite', { ...INVITED, role: 'owner' }],
      ],
    },
  ],
  [
    'developer',
    {
      hides: ['Team', 'Audit log'],
      shows: ['Transfers', 'Webhooks', 'API keys'],
      closed: ['team', 'audit'],
      asks: [
        [201, 'test', INVOICES, INVOICE],
        [403, 'live', INVOICES, INVOICE],
        [403, 'live', `${MONEY}/transfers`, TRANSFER],
        [403, 'live', `${MONEY}/subaccounts`, ACCOUNT],
        [403, 'test', '/console/team/invite', INVITED],
      ],
    },
  ],
  [
    'finance',
    {
      hides: ['API keys', 'Request log', 'Team', 'Partners'],
      shows: [...PRIVATE, 'Audit log'],
      closed: ['keys', 'requests', 'team', 'partners'],
      asks: [
        [200, 'test', `${MONEY}/subaccounts`, ACCOUNT],
        [403, 'test', INVOICES, INVOICE],
        [403, 'test', '/console/keys', {}],
        [403, 'test', `${USER}/webhooks`, ENDPOINT],
      ],
    },
  ],
  [
    'support',
    {
      hides: [...PRIVATE, ...TECHNICAL, 'Audit log', 'Wallet'],
      shows: ['Invoices', 'Orders'],
      closed: ['transfers', 'transfers/new', 'keys', 'wallet', 'webhooks', 'requests', 'audit'],
      asks: [[201, 'test', INVOICES, INVOICE], ...REFUSED_TO_ALL_BUT_MONEY],
    },
  ],
  [
    'viewer',
    {
      hides: [...PRIVATE, ...TECHNICAL, 'Audit log'],
      shows: ['Invoices', 'Wallet'],
      closed: ['transfers', 'transfers/new', 'keys', 'team', 'partners', 'settlements'],
      asks: [[403, 'test', INVOICES, INVOICE], ...REFUSED_TO_ALL_BUT_MONEY],
    },
  ],
]

/** Sends a request as a script in the page would, with the headers that the page sends. */
const ask = (page: Page, [, mode, path, body]: Asked): Promise<unknown> =>
  page.evaluate(`(async () => {
    const { data } = await (await fetch('/console/me')).json()
    const { status } = await fetch(${JSON.stringify(path)}, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-csrf-token': data.csrf,
        'x-business-id': String(data.businesses[0].id),
        'x-tradepost-mode': ${JSON.stringify(mode)},
      },
      body: ${JSON.stringify(JSON.stringify(body))},
    })
    return status
  })()`)

const openAt = openerOf(server, newPage)

describe('a role', LONG, () => {
  test.each(ROLES)(
    '%s hides what the server refuses, including direct requests',
    async (role, expected) => {
      const { page } = await openAt('/test/payments', role)
      await settled(page)
      await unfold(page)
      const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
      const names = await links.allInnerTexts()
      expect(names.filter((name) => expected.hides.includes(name))).toEqual([])
      expect(names).toEqual(expect.arrayContaining(expected.shows))
      for (const screen of expected.closed) {
        await page.goto(`${server.url}/test/${screen}`)
        await page.getByText('Your role does not give you access to this').waitFor(WAIT)
      }
      const answered = []
      for (const one of expected.asks) answered.push([one[2], await ask(page, one)])
      expect(answered).toEqual(expected.asks.map(([status, , path]) => [path, status]))
    },
  )

  test('of a developer writes in test mode and only reads in live mode', async () => {
    const { page, trouble } = await openAt('/test/invoices', 'developer')
    const write = page.getByRole('link', { name: 'New invoice' })
    const orButton = write.or(page.getByRole('button', { name: 'New invoice' })).first()
    await orButton.waitFor(WAIT)
    const modes = page.getByRole('radiogroup', { name: 'Mode' })
    await modes.getByText('Live', { exact: true }).click()
    await page.waitForURL('**/live/invoices', WAIT)
    await orButton.waitFor({ state: 'detached', ...WAIT })
    await settled(page)
    expect(await orButton.count()).toBe(0)
    await modes.getByText('Test', { exact: true }).click()
    await orButton.waitFor(WAIT)
    expect(trouble()).toEqual([])
  })
})

describe('a session', LONG, () => {
  test('that ended shows no data; signing in returns to the screen and its filters', async () => {
    const { page, member } = await openAt('/test/overview', 'owner')
    await settled(page)
    const link = page.getByRole('navigation').getByRole('link', { name: 'Invoices' })
    const found = await link.elementHandle()
    server.clock.advance(31 * 60_000)
    // In the page itself, because the live updates can notice the end of the session first.
    await found!.evaluate((one) => (one as HTMLElement).click())
    await isAt(page, '/sign-in')
    await heading(page, 'Sign in').waitFor(WAIT)
    expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
    await page.goto(`${server.url}/test/invoices?status=Paid`)
    await isAt(page, '/sign-in')
    await enter(page, member.email)
    await isAt(page, '/test/invoices')
    await settled(page)
    expect(new URL(page.url()).search).toBe('?status=Paid')
  })

  test('that is ended elsewhere closes the screen without any action', async () => {
    const { page, member } = await openAt('/test/overview', 'owner')
    await settled(page)
    const elsewhere = browserAt(server.url)
    const signedIn = { email: member.email, password: PASSWORD }
    expect((await elsewhere.post('/console/sign-in', signedIn)).status).toBe(200)
    expect((await elsewhere.post('/console/sessions/end-others')).status).toBe(200)
    await isAt(page, '/sign-in')
    await page.goto(`${server.url}/test/payments`)
    await isAt(page, '/sign-in')
  })

  test('that was signed out has ended for every URL', async () => {
    const { page } = await openAt('/test/invoices', 'owner')
    await settled(page)
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await isAt(page, '/sign-in')
    const other = await page.context().newPage()
    await other.goto(`${server.url}/test/payments`)
    await isAt(other, '/sign-in')
    await heading(other, 'Sign in').waitFor(WAIT)
    expect(await other.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
  })
})
