import type { Db } from '../db/database.ts'
import type { Caller } from '../lib/tenant.ts'
import { may } from './may.ts'
import { selectNames } from './queries-causes.ts'
import { type ActivityRow, selectActivity } from './queries-overview.ts'
import { pathOf, SCREENS } from './screens.ts'

const SHOWN = 8
/** Of so many newest events; several are of one sale, and some of what the role does not see. */
const AMONG = 120

/** Somebody who opened a checkout has not paid yet, and often never does. */
const NO_NEWS = ['transaction.pending', 'transaction.abandoned']

/** What was last, of what the role may read; a line for each sale. */
export async function activityOf(db: Db, caller: Caller) {
  const objectTypes = Object.keys(SCREENS).filter((type) => may(caller, SCREENS[type]!.scope))
  const rows = await selectActivity(db, caller, { objectTypes, among: AMONG, take: AMONG })
  const events = rows
    .filter(({ type }) => !NO_NEWS.includes(type))
    .map((row) => ({ row, told: JSON.parse(row.data) as Told }))
  const shown = salesOf(events).slice(0, SHOWN).map(newestOf)
  const refunds = shown.filter(({ row }) => row.object_type === 'refund')
  const payers = await selectNames(
    db,
    caller,
    'refund',
    refunds.map(({ row }) => row.object_id),
  )
  const payerOf = new Map(payers.map(({ id, name }) => [id, name]))
  return shown.map((one) => lineOf(one, payerOf.get(one.row.object_id) ?? null))
}

/** The few fields that many records share. */
interface Told {
  reference?: unknown
  amount?: unknown
  currency?: unknown
  status?: unknown
  invoiceReference?: unknown
  invoiceNumber?: unknown
  orderId?: unknown
  customer?: { name?: unknown; email?: unknown } | null
  customerName?: unknown
  customerEmail?: unknown
  accountName?: unknown
  business_name?: unknown
  packageName?: unknown
  name?: unknown
  title?: unknown
  code?: unknown
}

interface Happened {
  row: ActivityRow
  told: Told
}

/**
 * What happened to one invoice, order or payment, newest first. A payment and the invoice or order
 * that it pays are one sale.
 */
function salesOf(events: readonly Happened[]): Happened[][] {
  const paidFor = new Map(
    events
      .filter(({ row }) => row.object_type === 'transaction')
      .map(({ row, told }) => [row.object_id, saleOf(row, told)]),
  )
  return [
    ...Map.groupBy(events, ({ row, told }) =>
      row.object_type === 'transaction' ? paidFor.get(row.object_id)! : saleOf(row, told),
    ).values(),
  ]
}

function saleOf(row: ActivityRow, { reference, invoiceReference, orderId }: Told): string {
  if (row.object_type === 'invoice') return `invoice ${reference}`
  if (row.object_type !== 'transaction') return `${row.object_type} ${row.object_id}`
  if (invoiceReference) return `invoice ${invoiceReference}`
  return orderId ? `order ${orderId}` : `transaction ${row.object_id}`
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

/** The newest of a sale, and all of it. */
const newestOf = (sale: readonly Happened[]) => ({ ...sale[0]!, sale })

/** What a payment brought says more than what the invoice was about. A refund names no payer. */
function lineOf({ row, told, sale }: ReturnType<typeof newestOf>, payer: string | null) {
  const payment = sale.find(
    (one) =>
      one.row.type === 'transaction.successful' &&
      one.row.created_at.getTime() === row.created_at.getTime(),
  )
  const amount = (payment ?? { told }).told.amount
  const reference = text(told.reference)
  return {
    id: row.reference,
    type: row.type,
    reference,
    who: whoOf(told) ?? payer,
    about: sale.map((one) => text(one.told.invoiceNumber)).find(Boolean) ?? nameOf(told),
    amount: typeof amount === 'number' ? amount : null,
    currency: text(told.currency),
    status: text(told.status),
    path: pathOf(row.object_type, { id: row.object_id, reference }),
    at: row.created_at,
  }
}

const whoOf = ({ customer, customerName, customerEmail, business_name, accountName }: Told) =>
  text(customer?.name) ??
  text(customer?.email) ??
  text(customerName) ??
  text(customerEmail) ??
  text(business_name) ??
  text(accountName)

const nameOf = ({ name, title, packageName, code }: Told) =>
  text(name) ?? text(title) ?? text(packageName) ?? text(code)
