import { type Damage, testDamages } from '../../../test/corruption/findings.ts'
import { startServer } from '../../../test/harness.ts'
import { allChecks } from '../../audit.ts'
import { openShop } from './settlements.fixture.ts'

const server = await startServer({ jobs: false })
const { db } = server

/** The ids of rows to damage: settlements of one subaccount each. */
interface Rows {
  business: number
  paid: number
  failed: number
  pending: number
  /** The subaccounts of the pending settlement, and of the failed one. */
  waiting: number
  owed: number
  /** The journal of the pending settlement's hold. */
  hold: number
  /** An entry of the pending settlement; an entry open again after the failed one. */
  line: number
  open: number
  /** The payments of these two entries. */
  linePayment: number
  openPayment: number
}

/** Creates the business that the tests damage. */
async function settledShop(): Promise<Rows> {
  const { businessId, stall, pay, settle, simulate } = await openShop(server)
  const settled = async (outcome?: string) => {
    const { id: subaccount, page } = await stall()
    await pay(1_000, page)
    await pay(600, page)
    const made = (await settle()).find((one) => one.subaccount === subaccount)
    if (outcome) await simulate(made.reference, outcome)
    return { id: made.id as number, subaccount }
  }
  const paid = await settled('success')
  const pending = await settled()
  const failed = await settled('failed')
  const { id: hold } = await db.one<{ id: number }>`
    select id from ledger_journals where cause_type = 'settlement' and cause_id = ${pending.id}`
  const entryOf = async (subaccount: number) =>
    db.one<{ id: number; transaction_id: number }>`
      select id, transaction_id from subaccount_entries where subaccount_id = ${subaccount}
      order by id limit 1`
  const [line, open] = [await entryOf(pending.subaccount), await entryOf(failed.subaccount)]
  return {
    business: businessId,
    paid: paid.id,
    pending: pending.id,
    failed: failed.id,
    hold,
    waiting: pending.subaccount,
    owed: failed.subaccount,
    line: line.id,
    linePayment: line.transaction_id,
    open: open.id,
    openPayment: open.transaction_id,
  }
}

const damages: Damage<Rows>[] = [
  [
    'a settlement above the sum of its lines',
    ({ paid }) => `update settlements set amount_minor = amount_minor + 1 where id = ${paid}`,
    ({ paid }) => [
      `settlement-holds: settlements ${paid}`,
      `settlement-lines: settlements ${paid}`,
    ],
  ],
  [
    'a settlement with a wrong number of lines',
    ({ paid }) => `update settlements set entry_count = 3 where id = ${paid}`,
    ({ paid }) => [`settlement-lines: settlements ${paid}`],
  ],
  [
    'a settlement of another subaccount',
    ({ paid, waiting }) => `update settlements set subaccount_id = ${waiting} where id = ${paid}`,
    ({ paid }) => [`settlement-lines: settlements ${paid}`],
  ],
  [
    'a reopened line',
    ({ line }) => `update subaccount_entries set settlement_id = null where id = ${line}`,
    ({ pending, waiting }) => [
      `settlement-balances: subaccounts ${waiting}`,
      `settlement-lines: settlements ${pending}`,
    ],
  ],
  [
    'a line of a failed settlement',
    ({ open, failed }) => `update subaccount_entries set settlement_id = ${failed}
      where id = ${open}`,
    ({ failed, owed }) => [
      `settlement-balances: subaccounts ${owed}`,
      `settlement-lines: settlements ${failed}`,
    ],
  ],
  [
    'a line of a settlement that does not exist',
    ({ open }) => `update subaccount_entries set settlement_id = -1 where id = ${open}`,
    ({ open, owed }) => [
      `settlement-balances: subaccounts ${owed}`,
      `settlement-entries: subaccount_entries ${open}`,
    ],
  ],
  [
    'a line of another subaccount',
    ({ line, owed }) => `update subaccount_entries set subaccount_id = ${owed} where id = ${line}`,
    ({ pending, linePayment }) => [
      `settlement-lines: settlements ${pending}`,
      `share-entries: transactions ${linePayment}`,
      `share-entries: transactions ${linePayment}`,
    ],
  ],
  [
    'an extra open entry',
    ({ open }) => `insert into subaccount_entries
        (business_id, live, id, subaccount_id, kind, transaction_id, amount_minor, currency,
         created_at)
      select business_id, live, -id, subaccount_id, kind, transaction_id, 1, currency, created_at
      from subaccount_entries where id = ${open}`,
    ({ owed, openPayment }) => [
      `settlement-balances: subaccounts ${owed}`,
      `share-entries: transactions ${openPayment}`,
    ],
  ],
  [
    'a Pending settlement marked as Paid',
    ({ pending }) => `update settlements set status = 'Paid', paid_at = created_at
      where id = ${pending};
      update provider_orders set next_at = null where subject_id = ${pending}`,
    ({ pending }) => [`settlement-holds: settlements ${pending}`],
  ],
  [
    'a Paid settlement that is open again',
    ({ paid }) => `update settlements set status = 'Pending', paid_at = null
      where id = ${paid};
      update provider_orders set ended_at = null, next_at = created_at
      where subject_id = ${paid}`,
    ({ paid }) => [`settlement-holds: settlements ${paid}`],
  ],
  [
    'a Paid settlement without its time',
    ({ paid }) => `update settlements set paid_at = null where id = ${paid}`,
    ({ paid }) => [`settlement-states: settlements ${paid}`],
  ],
  [
    'a settlement that will never be ordered',
    ({ pending }) => `update provider_orders set next_at = null where subject_id = ${pending}`,
    ({ pending }) => [`settlement-orders: settlements ${pending}`],
  ],
  [
    'a hold of a settlement that does not exist',
    ({ hold }) => `update ledger_journals set cause_id = -cause_id where id = ${hold}`,
    ({ hold, pending }) => [
      `settlement-holds: settlements ${pending}`,
      `settlement-journals: ledger_journals ${hold}`,
    ],
  ],
  [
    'a missing event of a settlement',
    ({ paid }) => `delete from events where object_id = ${paid}`,
    ({ paid }) => [`settlement-events: settlements ${paid}`],
  ],
]

testDamages('the audit of settlements', {
  server,
  shop: settledShop,
  damages,
  checks: allChecks.filter(({ name }) => /^settlement-(?!(account-)?notes$)/.test(name)),
})
