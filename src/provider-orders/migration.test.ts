import { afterAll, expect, test } from 'vitest'
import { openOlderDatabase } from '../../test/older-database.ts'

/** The last migration before orders had their own table. */
const { client, upgrade, close } = await openOlderDatabase('0045')

afterAll(close)

const T0 = '2026-11-01T10:00:00.000Z'
const SENT = '2026-11-01T10:01:00.000Z'
const NEXT = '2026-11-01T10:11:00.000Z'
const DONE = '2026-11-01T10:05:00.000Z'

/** Inserts a record the way the previous version did. */
const insert = (table: string, row: Record<string, unknown>) => {
  const all = { business_id: 1, live: true, created_at: T0, updated_at: DONE, ...row }
  const columns = Object.keys(all)
  return client.query(
    `insert into ${table} (${columns}) values (${columns.map((_, i) => `$${i + 1}`)})`,
    Object.values(all),
  )
}
const amounts = { amount_minor: 1, currency: 'NGN', provider: 'simulator' }
const account = { bank_code: '058', bank_name: 'GTBank', account_number: '0123456785' }

const transfer = (id: number, status: string, more: object) =>
  insert('transfers', {
    id,
    status,
    ...amounts,
    ...account,
    fee_minor: 0,
    reference: `TRF_${id}`,
    transfer_reference: `TRF_${id}`,
    ...more,
  })
const settlement = (id: number, status: string, more: object) =>
  insert('settlements', {
    id,
    status,
    ...amounts,
    ...account,
    subaccount_id: 1,
    entry_count: 1,
    reference: `STL_${id}`,
    ...more,
  })
const refund = (id: number, status: string, more: object) =>
  insert('refunds', {
    id,
    status,
    ...amounts,
    transaction_id: 1,
    reference: `mine ${id}`,
    ...more,
  })
const charge = (id: number, status: string, more: object) =>
  insert('transactions', {
    id,
    status,
    ...amounts,
    fee_minor: 0,
    fee_bearer: 'business',
    payable_minor: 1,
    reference: `TRX_${id}`,
    purpose: 'invoice',
    purpose_id: id,
    channel: 'USSD',
    expires_at: NEXT,
    timeline: '[]',
    event_sequence: 1,
    ...more,
  })
const bill = (id: number, status: string, more: object) =>
  insert('utility_payments', {
    id,
    status,
    ...amounts,
    fee_minor: 0,
    fingerprint: Buffer.alloc(32),
    reference: `UTL_${id}`,
    payment_reference: `UTL_${id}`,
    customer_id: '1',
    customer_name: 'Ada',
    package_slug: 'a',
    package_name: 'a',
    biller_slug: 'a',
    biller_name: 'a',
    category: 'data',
    ...more,
  })

const simulated = (reference: string, more: object) =>
  client.query(
    `insert into simulator_charges (business_id, live, reference, amount_minor, currency, status,
       message, created_at, ${Object.keys(more)})
     values (1, false, $1, 1, 'NGN', 'Pending', 'Waiting', $2,
       ${Object.keys(more).map((_, i) => `$${i + 3}`)})`,
    [reference, T0, ...Object.values(more)],
  )

test('every existing record has its orders, due at the same times as before', async () => {
  await transfer(11, 'Unverified', {})
  await transfer(12, 'Pending', { look_up_at: T0 })
  await transfer(13, 'Pending', { sent_at: SENT, look_up_at: NEXT, attempt: 2 })
  await transfer(14, 'Blocked', { sent_at: SENT, look_up_at: NEXT })
  await transfer(15, 'Successful', { sent_at: SENT, completed_at: DONE })
  await settlement(21, 'Pending', { sent_at: SENT, look_up_at: NEXT })
  await settlement(22, 'Paid', { sent_at: SENT, paid_at: DONE })
  await refund(31, 'Pending', { look_up_at: T0 })
  await refund(32, 'NeedsAttention', { sent_at: SENT, look_up_at: NEXT })
  await refund(33, 'Processed', { sent_at: SENT, processed_at: DONE })
  await bill(41, 'Pending', { look_up_at: NEXT })
  await bill(42, 'Failed', { completed_at: DONE })
  await charge(51, 'Pending', { look_up_at: NEXT })
  await charge(52, 'Pending', { channel: 'BANK_TRANSFER' })
  await charge(53, 'Pending', { provider: 'none' })
  await charge(54, 'Abandoned', {})
  await charge(55, 'Successful', { paid_minor: 1, paid_at: DONE })
  await simulated('TRX_51', { kind: 'USSD', due_at: NEXT, due_status: 'Failed' })
  await simulated('TRX_52', { kind: 'BANK_TRANSFER', account_number: '9912345678' })

  await upgrade()
  const { rows } = await client.query(`
    select kind, subject_id::integer, attempt, sent_reference, state, sent_at, next_at, ended_at
    from provider_orders
    where business_id = 1 and live and connection_id = 1 and created_at = '${T0}'
    order by subject_id, attempt`)
  const [sent, next, done, first] = [SENT, NEXT, DONE, T0].map((text) => new Date(text))
  const order = (...all: unknown[]) => all
  expect(rows.map((row) => Object.values(row))).toEqual([
    order('transfer', 11, 1, 'TRF_11', null, null, null, null),
    order('transfer', 12, 1, 'TRF_12', null, null, first, null),
    order('transfer', 13, 1, 'TRF_13', null, first, null, done),
    order('transfer', 13, 2, 'TRF_13-2', null, sent, next, null),
    order('transfer', 14, 1, 'TRF_14', 'Blocked', sent, next, null),
    order('transfer', 15, 1, 'TRF_15', null, sent, null, done),
    order('settlement', 21, 1, 'STL_21', null, sent, next, null),
    order('settlement', 22, 1, 'STL_22', null, sent, null, done),
    order('refund', 31, 1, 'mine 31', null, null, first, null),
    order('refund', 32, 1, 'mine 32', 'NeedsAttention', sent, next, null),
    order('refund', 33, 1, 'mine 33', null, sent, null, done),
    order('bill', 41, 1, 'UTL_41', null, first, next, null),
    order('bill', 42, 1, 'UTL_42', null, first, null, done),
    order('charge', 51, 1, 'TRX_51', null, first, next, null),
    order('charge', 52, 1, 'TRX_52', null, first, null, null),
    order('charge', 54, 1, 'TRX_54', null, first, null, done),
  ])

  const simulatedOrders = await client.query(`
    select reference, kind, account_number, due_at, due_status from simulator_orders
    order by reference`)
  expect(simulatedOrders.rows.map((row) => Object.values(row))).toEqual([
    order('TRX_51', 'USSD', null, next, 'Failed'),
    order('TRX_52', 'BANK_TRANSFER', '9912345678', null, null),
  ])
})

test('a server of the previous version stores no order that would never be sent or looked up', async () => {
  await expect(transfer(16, 'Pending', { look_up_at: T0 })).rejects.toThrow(/account_number/)
  await expect(charge(56, 'Pending', { look_up_at: T0 })).rejects.toThrow(/look_up_at/)
})
