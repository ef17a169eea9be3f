import type pg from 'pg'
import { INVOICES } from '../src/sales/invoices/record.ts'
import { day, type List, type Shop, SMALL_ROWS } from './lists.ts'
import { DOMAINS, FIRST, type Filling, fillTexts, LAST, pick } from './lists-filling.ts'

const MONTH_MS = 31 * 86_400_000

const someMonth = `startDate=${day(400)}&endDate=${day(370)}`

/**
 * A month for the small shop and, for the large one, the time in which it creates the same number
 * of invoices. In the same month it has a thousand times as many, and every match up to 10,000 is
 * counted.
 */
function asMany({ rows }: Shop): string {
  const start = Date.parse(day(400))
  const end = start + (MONTH_MS * SMALL_ROWS) / rows
  return `startDate=${new Date(start).toISOString()}&endDate=${new Date(end).toISOString()}`
}

const queries: List['queries'] = {
  'page 1': '',
  'page 1, oldest first': 'sort=ASC',
  'page 2': 'page=2',
  'page 40': 'page=40',
  'one row': 'limit=1',
  'status Draft': 'status=Draft',
  'status Sent': 'status=Sent',
  'status PartiallyPaid': 'status=PartiallyPaid',
  'status Paid': 'status=Paid',
  'status Void': 'status=Void',
  'status Overdue': 'status=Overdue',
  'Overdue, oldest first': 'status=Overdue&sort=ASC',
  'a month': someMonth,
  'a month, Sent': `${someMonth}&status=Sent`,
  'a month, Overdue': `${someMonth}&status=Overdue`,
  'a month, Draft': `${someMonth}&status=Draft`,
  'as many': asMany,
  'as many, Sent': (of) => `${asMany(of)}&status=Sent`,
  'as many, Overdue': (of) => `${asMany(of)}&status=Overdue`,
  'as many, Draft': (of) => `${asMany(of)}&status=Draft`,
  'search id': ({ firstId }) => `search=${firstId + 500 * IDS_EACH}`,
  'search number': ({ firstId }) => `search=INV-${firstId + 500 * IDS_EACH}`,
  'search nothing has': 'search=xylophone',
  'search whole name': 'search=Ngozi%20Okafor',
  'search last name': 'search=okafor',
  'search part of a name': 'search=dani',
  'search whole email': 'search=ada.okeke4444%40gmail.com',
  'search email domain': 'search=gmail',
  'search two letters': 'search=ad',
  'search two rare letters': 'search=qq',
  'search one letter': 'search=z',
  'search last name, Void': 'search=okafor&status=Void',
  'search last name, Overdue': 'search=okafor&status=Overdue',
  'search domain, Void': 'search=gmail&status=Void',
  'search domain, Sent': 'search=gmail&status=Sent',
}

const PATH = '/api/payment-service/external/v1/invoices'
export const INVOICE_LIST: List = {
  things: 'invoices',
  path: `${PATH}?`,
  queries,
  exportPath: `${PATH}/export`,
  fill: fillInvoices,
  texts: 'invoice_texts',
}

/** An invoice needs ids for itself, its events, its email and its payment. */
const IDS_EACH = 6

/** Invoices from two years, most of them paid, with their payments and search text. */
async function fillInvoices(client: pg.Client, filling: Filling): Promise<void> {
  await client.query(invoicesOf(filling))
  await client.query(paymentsOf(filling.businessId))
  await fillTexts(client, filling.businessId, INVOICES)
}

// Terms such as n * 7919 % 10007 spread values in the same way in each run.
const invoicesOf = ({ businessId, rows, firstId }: Filling) => `
  insert into invoices
    (business_id, live, id, reference, token, status, customer_email, customer_name,
     amount_minor, paid_minor, currency, note, due_date, allow_partial_payment, email_status,
     sent_at, paid_at, voided_at, next_step, next_step_at, event_sequence, created_at, updated_at)
  select ${businessId}, false, ${firstId} + n * ${IDS_EACH}, 'INV_' || md5(n::text),
    left(md5('t' || n), 22),
    status,
    lower(first) || '.' || lower(last) || (n * 31 % 9973) || '@' || ${pick(DOMAINS, 'n * 13 / 7')},
    first || ' ' || last, amount,
    case status when 'Paid' then amount when 'PartiallyPaid' then amount / 2 else 0 end,
    'NGN', 'Goods and delivery', due, false, 'Sent', created,
    case when status = 'Paid' then created + interval '3 days' end,
    case when status = 'Void' then created + interval '3 days' end,
    case when status in ('Sent', 'PartiallyPaid') then step end,
    case when status in ('Sent', 'PartiallyPaid') and step < 5 then now() + interval '1 day' end,
    2, created, created
  from (
    select n, ${pick(FIRST, 'n * 7919 % 10007')} as first,
      ${pick(LAST, 'n * 104729 % 10009')} as last,
      100000 + n * 7 % 9000000 as amount, created, created::date + 14 as due,
      case when created::date + 14 < current_date then 5 else 0 end as step,
      case when r < 70 then 'Paid' when r < 85 then 'Sent' when r < 88 then 'PartiallyPaid'
        when r < 93 then 'Void' else 'Draft' end as status
    from (
      select n, n * 48271 % 100 as r,
        date_trunc('milliseconds', now() - interval '730 days' * (1 - n / ${rows}.0)) as created
      from generate_series(1::bigint, ${rows}) n
    ) numbered
  ) described`

const paymentsOf = (businessId: number) => `
  insert into transactions
    (business_id, live, id, reference, purpose, purpose_id, status, channel, amount_minor,
     fee_minor, fee_bearer, payable_minor, paid_minor, currency, invoice_reference, provider,
     paid_at, expires_at, event_sequence, created_at, updated_at)
  select business_id, live, id + 1, 'TRX_' || reference, 'invoice', id, 'Successful',
    'BANK_TRANSFER', paid_minor, 0, 'business', paid_minor, paid_minor, 'NGN', reference,
    'simulator', created_at, created_at, 2, created_at, created_at
  from invoices where business_id = ${businessId} and paid_minor > 0`
