import { describe, expect, test } from 'vitest'
import { times, untilDone } from '../../../test/concurrency.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { INVOICE_STATES, type InvoiceState } from './schemas.ts'

const PATH = '/api/payment-service/external/v1/invoices'
const server = await startServer({ jobs: false })
const { db, as, business, get, post, put } = server
const stranger = await server.newBusiness()

/** An invoice of ₦1,000 in a state. */
async function make(state: InvoiceState, more: object = {}): Promise<string> {
  const sendImmediately = state !== 'Draft'
  const asked = { customerEmail: 'ada@example.com', amount: 1_000, sendImmediately, ...more }
  const { reference } = (await post(PATH, asked)).body.data
  if (state === 'PartiallyPaid') await post(`${PATH}/${reference}/mark-paid`, { amount: 400 })
  if (state === 'Paid') await post(`${PATH}/${reference}/mark-paid`)
  if (state === 'Void') await post(`${PATH}/${reference}/void`)
  const { status } = (await get(`${PATH}/${reference}`)).body.data
  expect(status).toBe(state)
  return reference
}

type Asker = Pick<typeof server, 'post' | 'put'>
const ACTS = {
  send: ({ post }: Asker, at: string) => post(`${at}/send`),
  remind: ({ post }: Asker, at: string) => post(`${at}/remind`),
  'mark-paid': ({ post }: Asker, at: string) => post(`${at}/mark-paid`),
  void: ({ post }: Asker, at: string) => post(`${at}/void`),
  note: ({ put }: Asker, at: string) => put(at, { note: 'Changed' }),
  amount: ({ put }: Asker, at: string) => put(at, { amount: 2_000 }),
}
type Act = keyof typeof ACTS

/** The actions that each state allows. */
const MAY: Record<InvoiceState, readonly Act[]> = {
  Draft: ['send', 'void', 'note', 'amount'],
  Sent: ['send', 'remind', 'mark-paid', 'void', 'note'],
  PartiallyPaid: ['send', 'remind', 'mark-paid', 'void', 'note'],
  Paid: [],
  Void: [],
}

/** The invoice with the number of its events and mails. */
const standing = (reference: string) =>
  db.one`
    select to_jsonb(i)::text as row,
      (select count(*) from events e where e.object_id = i.id) as events,
      (select count(*) from mails m where m.subject_id = i.id) as mails,
      (select count(*) from transactions t where t.purpose_id = i.id) as payments
    from invoices i where reference = ${reference}`

const cases = INVOICE_STATES.flatMap((state) =>
  (Object.keys(ACTS) as Act[]).map((act) => {
    const status = MAY[state].includes(act) ? 200 : 409
    return { state, act, status }
  }),
)

describe('actions on an invoice', () => {
  test.each(cases)('$status for $act while it is $state', async ({ state, act, status }) => {
    const reference = await make(state)
    const before = await standing(reference)
    const answer = await ACTS[act](server, `${PATH}/${reference}`)
    expect(answer.status).toBe(status)
    if (status === 200) return expect(await standing(reference)).not.toEqual(before)
    expect(answer.body.errorCode).toBe('invoice_state')
    expect(answer.body.message).toContain(state)
    expect(await standing(reference)).toEqual(before)
  })

  test.each(Object.keys(ACTS) as Act[])(
    '404 for %s by another business and by the other mode, as if it did not exist',
    async (act) => {
      const reference = await make(act === 'amount' ? 'Draft' : 'Sent')
      const before = await standing(reference)
      const none = await ACTS[act](server, `${PATH}/INV_nothing`)
      expect(none.status).toBe(404)
      const { requestId: _none, ...nothing } = none.body
      for (const key of [stranger.keys.testSecret, business.keys.liveSecret]) {
        const { status, body } = await ACTS[act](as(key), `${PATH}/${reference}`)
        const { requestId: _own, ...said } = body
        expect([status, said]).toEqual([404, nothing])
      }
      expect(await standing(reference)).toEqual(before)
    },
  )
})

describe('at once', () => {
  test('200 for a new note and a payment: neither undoes the other', async () => {
    for (let round = 0; round < 5; round++) {
      const reference = await make('Sent', { dueDate: '2099-01-31' })
      const answers = await times(20, (i) =>
        untilDone(() =>
          i % 2 === 0
            ? post(`${PATH}/${reference}/mark-paid`, { amount: 50 })
            : put(`${PATH}/${reference}`, { note: `Note ${i}`, dueDate: '2099-02-28' }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
      const { data } = (await get(`${PATH}/${reference}`)).body
      expect(data).toMatchObject({ amountPaid: 500, status: 'PartiallyPaid' })
      expect([data.note, data.dueDate]).toEqual([expect.stringMatching(/^Note /), '2099-02-28'])
      expect(data.payments).toHaveLength(10)
    }
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('200 or 409 for sending, changing and voiding a Draft: each event shows the state at its time', async () => {
    for (let round = 0; round < 5; round++) {
      const reference = await make('Draft')
      const at = `${PATH}/${reference}`
      await Promise.all(
        Array.from({ length: 24 }, (_, i) => {
          if (i % 3 === 0) return post(`${at}/send`)
          return i % 3 === 1 ? put(at, { amount: 500 + i }) : post(`${at}/void`)
        }),
      )
      const { data } = (await get(at)).body
      expect(data.status).toBe('Void')
      const told = await db.many<{ sequence: number; type: string; data: string }>`
        select sequence, type, data from events where object_id = ${data.id} order by sequence`
      expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, i) => i + 1))
      expect(told.filter(({ type }) => type === 'invoice.voided')).toHaveLength(1)
      expect(JSON.parse(told.at(-1)!.data).amount).toBe(data.amount)
      const mails = await db.many`select id from mails where subject_id = ${data.id}`
      expect(mails).toHaveLength(told.filter(({ type }) => type === 'invoice.sent').length)
    }
  })
})
