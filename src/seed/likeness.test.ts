import { beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { DAY_MS } from './calendar.ts'
import { seedShop } from './seed.ts'

/**
 * What is seeded is written past the services, so here it is compared with what they write: the
 * same kinds of rows, filled in the same columns, with the same events and movements.
 */
const INVOICES = '/api/payment-service/external/v1/invoices'
const MINUTE_MS = 60_000

const server = await startServer({ sweepers: false })
const { db, url, clock, post } = server
const real = { businessId: server.business.businessId, live: false }
const made = { businessId: (await server.newBusiness('Made')).businessId, live: false }

async function invoice(more: object = {}) {
  const sent = {
    customerEmail: 'ada@example.com',
    customerName: 'Ada Obi',
    amount: 10_000,
    ...more,
  }
  const { body } = await post(INVOICES, sent)
  const { pathname } = new URL(body.data.hostedUrl)
  const page = (path = '', form?: Record<string, string>) =>
    fetch(`${url}${pathname}${path}`, {
      redirect: 'manual',
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
  const account = async () => {
    await page('/pay', { channel: 'BANK_TRANSFER' })
    return /\b99\d{8}\b/.exec(await (await page()).text())![0]
  }
  const dial = () => page('/pay', { channel: 'USSD', bankCode: '058' })
  return { reference: body.data.reference as string, page, account, dial }
}

const deposit = (accountNumber: string, amount: number) =>
  post('/api/simulator/deposit', { accountNumber, amount })

async function settleDialled() {
  clock.advance(1_000)
  await server.sweep('simulator')
}

/** Every way that a story can take, taken by the server. */
async function live() {
  const byTransfer = await invoice()
  await byTransfer.page()
  const wanted = await byTransfer.account()
  await deposit(wanted, 9_500)
  await deposit(wanted, 10_000)

  for (const amount of [10_000, 10_000.01]) await (await invoice({ amount })).dial()
  await settleDialled()

  const twice = await invoice()
  const late = await twice.account()
  await twice.page('/cancel-payment', {})
  await twice.dial()
  await settleDialled()
  await deposit(late, 10_000)

  const left = [await invoice(), await invoice()]
  await left[0]!.account()
  await left[1]!.dial()
  await db.run`update simulator_charges set due_at = null`
  clock.advance(31 * MINUTE_MS)
  await server.sweep('transaction-expiry')

  const byHand = await invoice()
  await post(`${INVOICES}/${byHand.reference}/mark-paid`, { note: 'Cash' })
  const given = await invoice()
  // An invoice that is void is not mailed any more.
  await server.sweep('mail')
  await post(`${INVOICES}/${given.reference}/void`)
  const draft = await invoice({ sendImmediately: false })
  await post(`${INVOICES}/${draft.reference}/send`)
  const parts = await invoice({ allowPartialPayment: true, dueDate: tomorrow() })
  await parts.page('/pay', { channel: 'USSD', amount: '4000' })
  await settleDialled()
  await invoice({ dueDate: tomorrow() })
  for (let day = 0; day < 12; day++) {
    clock.advance(DAY_MS)
    await server.sweep('invoice-schedule')
  }
  await server.sweep('mail')
}

const tomorrow = () => new Date(clock.now().getTime() + DAY_MS).toISOString().slice(0, 10)

beforeAll(async () => {
  await live()
  const request = { now: clock.now(), publicUrl: 'http://127.0.0.1', seed: 1, rows: 200 }
  await seedShop(db, server.ids, { ...request, tenant: made })
})

/** The distinct answers of a query about a business, `$1`. */
const kindsOf = ({ businessId }: typeof real, query: string) =>
  db.withClient(async (client) => {
    const { rows } = await client.query<{ kind: string }>(
      `select distinct kind from (${query}) kinds (kind) order by kind`,
      [businessId],
    )
    return rows.map(({ kind }) => kind)
  })

/** Depends on what was asked for, not on what became of it. */
const ASKED = ['bank_code', 'customer_name', 'customer_phone', 'message', 'ussd_codes']

/** No letter is kept of a seeded mail: the mailbox composes it when somebody looks at it. */
const OF_KEPT_LETTER = ['settled_at']

const NOT_COMPARED = [...ASKED, ...OF_KEPT_LETTER]

/** What tells rows apart, and which of their columns are filled. */
const filled = (table: string, apart: string) => `
  select concat_ws(' ', ${apart}, (
    select string_agg(key, ',' order by key) from jsonb_each(to_jsonb(t))
    where value <> 'null' and key <> all('{${NOT_COMPARED.join()}}')))
  from ${table} t where business_id = $1 and not live`

const keys = (json: string) => `
  (select string_agg(key, ',' order by key) from jsonb_object_keys(${json}) key)`

describe('what is made is like what the server writes', () => {
  test.each([
    ['transactions', filled('transactions', 'status, channel, excess_minor > 0, event_sequence')],
    ['accounts', filled('virtual_accounts', 'status, event_sequence')],
    ['deposits', filled('deposits', 'status, reason')],
    ['mails', filled(`(select * from mails where status <> 'Failed')`, 'kind, status, attempts')],
    [
      'receipts, of each way to pay',
      `select concat_ws(' ', t.channel, t.status, t.excess_minor > 0, m.kind)
        from transactions t
        left join mails m on m.business_id = t.business_id and m.live = t.live
          and m.subject_type = 'transaction' and m.subject_id = t.id
        where t.business_id = $1 and not t.live and t.paid_at is not null`,
    ],
    [
      'movements of the books',
      `select concat_ws(' ', j.cause_type, j.verb, t.kind, d.kind, c.kind)
        from ledger_journals j
        join ledger_transfers t on t.journal_id = j.id
        join ledger_accounts d on d.id = t.debit_account_id
        join ledger_accounts c on c.id = t.credit_account_id
        where j.business_id = $1 and not j.live`,
    ],
    [
      'events',
      `select concat_ws(' ', object_type, type, ${keys('data::jsonb')},
          ${keys("data::jsonb -> 'payments' -> 0")})
        from events where business_id = $1 and not live`,
    ],
    [
      'timelines',
      `select string_agg(concat_ws(' ', entry ->> 'status', jsonb_typeof(entry -> 'at'),
            entry ? 'message'), ', ')
        from transactions t, jsonb_array_elements(timeline::jsonb) entry
        where business_id = $1 and not live group by t.id`,
    ],
  ])('in its %s', async (_what, query) => {
    const [written, likened] = [await kindsOf(real, query), await kindsOf(made, query)]
    expect(written.length).toBeGreaterThan(1)
    expect(likened).toEqual(written)
  })
})
