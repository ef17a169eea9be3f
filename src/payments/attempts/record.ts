import { Type } from 'typebox'
import { ERASED, idsOf, idsWhere, isOfCustomer, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import { queueText, type Searchable } from '../../db/text-search.ts'
import type { NewEvent } from '../../events/append.ts'
import { type EventKind, kindsOf } from '../../events/catalogue.ts'
import type { Tenant } from '../../lib/caller.ts'
import { type Minor, toAmount } from '../../lib/money.ts'
import { Nullable, Timestamp } from '../../lib/schemas.ts'
import type { ShareRow } from './allocation.ts'
import type { ListedRow, TransactionRow, VirtualAccountRow } from './queries.ts'
import { TransactionRecord } from './schemas.ts'

/**
 * Returns what the business and its subaccounts get in total: the payment minus the fee and any
 * overpayment.
 */
export function netOf(row: ListedRow): Minor {
  const paid_minor = row.paid_minor ?? row.payable_minor
  return paid_minor - row.excess_minor - row.fee_minor
}

/** A transaction as the API and its events show it (docs/CONTRACT.md, section 5). */
export function transactionRecord(
  row: ListedRow,
  { businessId }: Tenant,
  shares: readonly ShareRow[],
) {
  const money = (minor: Minor) => toAmount(minor, row.currency)
  return {
    id: row.id,
    reference: row.reference,
    amount: money(row.amount_minor),
    amountMinor: Number(row.amount_minor),
    fees: money(row.fee_minor),
    netAmount: money(netOf(row)),
    feeBearer: row.fee_bearer,
    currency: row.currency,
    channel: row.channel,
    status: row.status,
    gatewayResponse: row.gateway_response,
    message: row.message,
    customer: {
      id: row.customer_id,
      email: row.customer_email,
      name: row.customer_name,
      phone: row.customer_phone,
    },
    customerId: row.customer_id,
    // The page where the payment started. Both kinds of page share one sequence of ids.
    pageId: row.page_id ?? row.split_page_id,
    splitPageId: row.split_page_id,
    orderId: row.order_id,
    invoiceReference: row.invoice_reference,
    businessId,
    ipAddress: row.ip_address,
    location: row.location,
    split: shares.map((share) => ({
      subaccount: share.subaccount_id,
      subaccountCode: share.subaccount_code,
      share: share.share,
      amount: money(share.amount_minor),
      amountMinor: Number(share.amount_minor),
      fee: money(share.fee_minor),
      netAmount: money(share.amount_minor - share.fee_minor),
      refundedAmount: money(share.refunded_minor),
    })),
    paidAmount: row.paid_minor === null ? null : money(row.paid_minor),
    overpaidAmount: money(row.excess_minor),
    refundedAmount: money(row.refunded_minor),
    disputedAmount: money(row.disputed_minor),
    reversedAmount: money(row.reversed_minor),
    late: row.late,
    paidAt: row.paid_at,
    payUrl: row.status === 'Pending' ? row.pay_url : null,
    expiresAt: row.expires_at,
    metadata: row.metadata === null ? null : JSON.parse(row.metadata),
    timeline: JSON.parse(row.timeline),
    createdAt: row.created_at,
  }
}

const MADE_AT = '2026-11-02T10:10:05.120Z'
const PAID_AT = '2026-11-02T10:12:41.318Z'

const begun = { status: 'Pending', at: MADE_AT, message: null }

/** Returns the fields as they are after one move, with its message. */
const moved = (status: string, message: string) => ({
  status,
  message,
  timeline: [begun, { status, at: PAID_AT, message }],
})

const paid = { paidAmount: 15000.5, paidAt: PAID_AT }
const lost = { disputedAmount: 15000.5, reversedAmount: 15000.5 }

const example = {
  id: 40977,
  reference: 'TRX_9aT3mC6pXv1uK8eWq2Gh',
  amount: 15000.5,
  amountMinor: 1500050,
  fees: 225.01,
  netAmount: 14775.49,
  feeBearer: 'business',
  currency: 'NGN',
  channel: 'BANK_TRANSFER',
  status: 'Pending',
  gatewayResponse: null,
  message: null,
  customer: { id: null, email: 'ada@example.com', name: 'Ada Obi', phone: null },
  customerId: null,
  pageId: null,
  splitPageId: null,
  orderId: null,
  invoiceReference: 'INV_4kQ9sYw7Zb2hN1xR8dLm',
  businessId: 1025,
  ipAddress: null,
  location: null,
  split: [],
  paidAmount: null,
  overpaidAmount: 0,
  refundedAmount: 0,
  disputedAmount: 0,
  reversedAmount: 0,
  late: false,
  paidAt: null,
  payUrl: null,
  expiresAt: '2026-11-02T10:40:05.120Z',
  metadata: null,
  timeline: [begun],
  createdAt: MADE_AT,
}

const ofTransactions = kindsOf(
  { object: 'transaction', schema: TransactionRecord, example },
  {
    'transaction.pending': ['A payer started a payment.'],
    'transaction.successful': [
      'A payment succeeded. If it had already been Abandoned, `late` is true.',
      { ...moved('Successful', 'Transfer received'), ...paid },
    ],
    'transaction.failed': [
      'The bank or the payer’s provider declined a payment.',
      moved('Failed', 'Declined'),
    ],
    'transaction.abandoned': [
      'A payment was not made in time, or was no longer due.',
      moved('Abandoned', 'Not paid in time'),
    ],
    'transaction.reversed': [
      'The payer got back what was left of a payment, because a dispute was lost or accepted.',
      { ...moved('Reversed', 'A dispute was lost'), ...paid, ...lost },
    ],
  },
)

const text = Type.String()

const account = {
  reference: Type.String({ description: 'The transaction’s reference.' }),
  status: Type.String({ description: 'Open, Paid or Expired' }),
  transactionId: Type.Integer(),
  accountNumber: text,
  accountName: text,
  bankName: text,
  bankCode: Nullable(text),
  amount: Type.Number({ description: 'The amount to transfer.' }),
  amountMinor: Type.Integer(),
  currency: text,
  expiresAt: Timestamp,
}
const Account = Type.Object(account)

const RejectedDeposit = Type.Object({
  ...account,
  receivedAmount: Type.Number(),
  reason: Nullable(
    Type.String({
      description:
        'amount_too_low, amount_too_high, account_expired, already_paid or wrong_currency',
    }),
  ),
  returnStatus: Type.String({
    description: 'ReturnedByProvider, or Held if the provider keeps the money for now',
  }),
  receivedAmountMinor: Type.Integer(),
  receivedCurrency: Type.String(),
  depositReference: Type.String({ description: 'The deposit’s reference.' }),
  sender: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    properties: {
      accountName: { type: ['string', 'null'] },
      accountNumber: { type: ['string', 'null'] },
      bankName: { type: ['string', 'null'] },
    },
    description: 'The sender; null if the bank does not name one.',
  }),
})

const open = {
  reference: 'TRX_9aT3mC6pXv1uK8eWq2Gh',
  status: 'Open',
  transactionId: 40977,
  accountNumber: '9912345678',
  accountName: 'Ada Ventures',
  bankName: 'Simulator Bank',
  bankCode: '999',
  amount: 15000.5,
  amountMinor: 1500050,
  currency: 'NGN',
  expiresAt: '2026-11-02T10:40:05.120Z',
}

const ofAccounts = kindsOf(
  { object: 'virtual_account', schema: Account, example: open },
  {
    'virtual_account.created': ['A virtual account was opened for one payment.'],
    'virtual_account.expired': [
      'A virtual account was closed before the payment arrived.',
      { status: 'Expired' },
    ],
  },
)

const ofDeposits = kindsOf(
  { object: 'virtual_account', schema: RejectedDeposit, example: open },
  {
    'bank.transfer.rejected': [
      'A deposit into a virtual account was not accepted.',
      {
        receivedAmount: 12000,
        receivedAmountMinor: 1200000,
        receivedCurrency: 'NGN',
        reason: 'amount_too_low',
        returnStatus: 'ReturnedByProvider',
        depositReference: 'DEP_7hK2mX9qLs4vB1cN6tRw',
        sender: null,
      },
    ],
  },
)

export const transactionEvents: EventKind[] = [...ofTransactions, ...ofAccounts, ...ofDeposits]

export const transactionEvent = (
  type: string,
  row: TransactionRow,
  tenant: Tenant,
  at: Date,
  shares: readonly ShareRow[],
): NewEvent => ({
  ...tenant,
  type,
  objectType: 'transaction',
  objectId: row.id,
  sequence: row.event_sequence,
  data: transactionRecord(row, tenant, shares),
  at,
})

export const virtualAccountEvent = (
  type: string,
  row: VirtualAccountRow,
  reference: string,
  tenant: Tenant,
  at: Date,
  more: object = {},
): NewEvent => ({
  ...tenant,
  type,
  objectType: 'virtual_account',
  objectId: row.id,
  sequence: row.event_sequence,
  data: {
    reference,
    status: row.status,
    transactionId: row.transaction_id,
    accountNumber: row.account_number,
    accountName: row.account_name,
    bankName: row.bank_name,
    bankCode: row.bank_code,
    amount: toAmount(row.amount_minor, row.currency),
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    expiresAt: row.expires_at,
    ...more,
  },
  at,
})

export const TRANSACTIONS: Searchable<TransactionRow> = {
  kind: 'transaction',
  table: 'transactions',
  fields: ['customer_name', 'customer_email'],
  isQueued: true,
}

export const transactionPersonalData: PersonalData = {
  name: 'transactions',
  async find(db, customer, found) {
    const { businessId, live } = customer
    const named = await idsWhere(db, customer, {
      table: sql`transactions`,
      match: isOfCustomer(customer),
    })
    const paying = await db.many<{ id: number }>`
      select id from transactions
      where business_id = ${businessId} and live = ${live} and purpose in ('invoice', 'checkout')
        and purpose_id = any(${idsOf(found, 'invoices', 'checkouts')}::bigint[])`
    return [...new Set([...named, ...paying.map(({ id }) => id)])]
  },
  open: {
    table: sql`transactions`,
    condition: sql`status = 'Pending'`,
    words: 'payments that are not finished yet: they finish or expire by themselves',
  },
  async erase(tx, { businessId, live }, ids, pseudonym) {
    const count = await tx.run`
      update transactions set customer_email = case when customer_email is not null
          then ${pseudonym} end, customer_name = null, customer_phone = null, ip_address = null,
        location = null, metadata = null, pay_url = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`
    for (const id of ids) await queueText(tx, { businessId, live }, TRANSACTIONS, id)
    return count
  },
}

export const virtualAccountPersonalData: PersonalData = {
  name: 'virtualAccounts',
  async find(db, { businessId, live }, found) {
    const rows = await db.many<{ id: number }>`
      select id from virtual_accounts
      where business_id = ${businessId} and live = ${live}
        and transaction_id = any(${idsOf(found, 'transactions')}::bigint[])`
    return rows.map(({ id }) => id)
  },
  erase: (tx, { businessId, live }, ids) =>
    tx.run`
      update virtual_accounts set account_name = ${ERASED}
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
