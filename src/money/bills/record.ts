import { ERASED, idsWhere, type PersonalData } from '../../db/personal-data.ts'
import { sql } from '../../db/sql.ts'
import type { NewEvent } from '../../events/append.ts'
import { kindsOf } from '../../events/catalogue.ts'
import type { Tenant } from '../../lib/caller.ts'
import { amountsOf, toAmount } from '../../lib/money.ts'
import type { BillRow } from './queries.ts'
import { UtilityRecord } from './schemas.ts'

/** A utility payment as the API and its events show it (CONTRACT.md, section 16). */
export const utilityRecord = (row: BillRow) => ({
  transactionId: row.id,
  reference: row.reference,
  paymentReference: row.payment_reference,
  status: row.status,
  vendStatus: row.status,
  customerId: row.customer_id,
  customerName: row.customer_name,
  packageSlug: row.package_slug,
  packageName: row.package_name,
  billerSlug: row.biller_slug,
  billerName: row.biller_name,
  category: row.category,
  ...amountsOf(row.currency, { amount: row.amount_minor }),
  fee: toAmount(row.fee_minor, row.currency),
  ...amountsOf(row.currency, { total: row.amount_minor + row.fee_minor }),
  currency: row.currency,
  channel: row.channel,
  phoneNumber: row.phone_number,
  email: row.email,
  accountNumber: row.account_number,
  token:
    row.token_value === null ? null : { value: row.token_value, units: Number(row.token_units) },
  pins: row.pins,
  pinDetails: row.pins.map(pinOf),
  failureReason: row.status === 'Failed' ? row.message : null,
  timeline: JSON.parse(row.timeline),
  createdAt: row.created_at,
  completedAt: row.completed_at,
})

/** Separates a PIN from its serial number; providers print them as `1234-5678 (serial 99)`. */
function pinOf(printed: string): { pin: string; serial: string | null } {
  const [, pin = printed, serial = null] = /^(.*?)\s*\(serial\s+([^()]+)\)$/.exec(printed) ?? []
  return { pin, serial }
}

export const utilityEvent = (
  type: string,
  row: BillRow,
  { businessId, live }: Tenant,
  at: Date,
): NewEvent => ({
  businessId,
  live,
  type,
  objectType: 'utility_payment',
  objectId: row.id,
  sequence: row.event_sequence,
  data: utilityRecord(row),
  at,
})

/**
 * The contract's response codes for a payment. Only a lookup returns the code for a failed payment,
 * because a failed purchase returns an error. Callers must not be able to mistake that code for
 * success.
 */
const SAID = {
  Successful: { responseCode: '00', message: 'Payment processed.' },
  Pending: { responseCode: '09', message: 'The payment is Pending: its outcome is not known yet.' },
  Failed: { responseCode: '06', message: 'The payment failed: nothing was bought.' },
} as const

export const utilityBody = (row: BillRow) => ({
  ...utilitySuccess(SAID[row.status].message, utilityRecord(row)),
  responseCode: SAID[row.status].responseCode,
})

export const utilitySuccess = <Data>(message: string, responseData: Data) => ({
  error: false,
  status: 'success' as const,
  message,
  responseCode: '00',
  responseData,
})

const MADE_AT = '2026-11-07T16:30:00.000Z'
const ENDED_AT = '2026-11-07T16:30:02.140Z'

const begun = { status: 'Pending', at: MADE_AT, message: null }

const ended = (status: string, message: string) => ({
  status,
  vendStatus: status,
  timeline: [begun, { status, at: ENDED_AT, message }],
  completedAt: ENDED_AT,
})

const example = {
  transactionId: 41500,
  reference: 'UTL_5oI8bQ2fLj7wZ0pKg3Cf',
  paymentReference: 'light-2026-11',
  status: 'Pending',
  vendStatus: 'Pending',
  customerId: '04123456789',
  customerName: 'ADA OBI',
  packageSlug: 'ikedc-prepaid',
  packageName: 'Ikeja Electric (IKEDC), prepaid',
  billerSlug: 'ikedc',
  billerName: 'Ikeja Electric (IKEDC)',
  category: 'electricity',
  amount: 5000,
  amountMinor: 500000,
  fee: 0,
  total: 5000,
  totalMinor: 500000,
  currency: 'NGN',
  channel: null,
  phoneNumber: null,
  email: null,
  accountNumber: null,
  token: null,
  pins: [],
  pinDetails: [],
  failureReason: null,
  timeline: [begun],
  createdAt: MADE_AT,
  completedAt: null,
}

export const utilityEvents = kindsOf(
  { object: 'utility_payment', schema: UtilityRecord, example },
  {
    'utility.pending': [
      'A utility payment was started. Its amount is on hold until the outcome is known.',
    ],
    'utility.successful': [
      'Airtime, data, electricity, a TV subscription or a PIN was bought.',
      {
        ...ended('Successful', 'Delivered'),
        token: { value: '4417-0032-9921-5508-1746', units: 23.8 },
      },
    ],
    'utility.failed': [
      'Nothing was bought, and the money is back in the wallet.',
      {
        ...ended('Failed', 'The biller refused this customer'),
        failureReason: 'The biller refused this customer',
      },
    ],
  },
)

export const billPersonalData: PersonalData = {
  name: 'utilityPayments',
  find: (db, customer) =>
    idsWhere(db, customer, {
      table: sql`utility_payments`,
      match: sql`lower(email) = ${customer.email}`,
    }),
  open: {
    table: sql`utility_payments`,
    condition: sql`status = 'Pending'`,
    words: 'utility payments that are not finished yet',
  },
  erase: (tx, { businessId, live }, ids, pseudonym) =>
    tx.run`
      update utility_payments set email = ${pseudonym}, phone_number = null,
        customer_id = ${ERASED}, customer_name = ${ERASED}, account_number = null
      where business_id = ${businessId} and live = ${live} and id = any(${ids}::bigint[])`,
}
