import type pg from 'pg'
import { TRANSACTIONS } from '../src/payments/attempts/record.ts'
import { day, type List, type Shop } from './lists.ts'
import { DOMAINS, FIRST, type Filling, fillTexts, LAST, pick } from './lists-filling.ts'

const PATH = '/api/transaction-service/external/v1/transactions'

// Long enough for the small shop to fill its pages too.
const someYear = `startDate=${day(400)}&endDate=${day(35)}&limit=10`

/** The page with this number. */
const onward = (filter: string, pages: number) => async (of: Shop) => {
  let query = `?${filter}`
  for (let i = 0; i < pages; i++) {
    const { next } = JSON.parse((await of.ask(PATH + query)).body).meta
    query = `?${filter}&cursor=${next}`
  }
  return query
}

/** The page before the tenth. */
const backward = async (of: Shop) => {
  const { body } = await of.ask(PATH + (await onward('', 9)(of)))
  const { previous } = JSON.parse(body).meta
  return `?cursor=${previous}`
}

const queries: List['queries'] = {
  'page 1': '',
  'page 20': onward('', 19),
  'back to page 9': backward,
  'one row': '?limit=1',
  '100 rows': '?limit=100',
  'status Successful': '?status=Successful',
  'status Pending': '?status=Pending',
  'status Refunded': '?status=Refunded',
  'status Failed, page 3': onward('status=Failed', 2),
  'channel USSD': '?channel=USSD',
  'channel OFFLINE': '?channel=OFFLINE',
  'channel USSD, page 5': onward('channel=USSD', 4),
  'Successful by USSD': '?status=Successful&channel=USSD',
  'Failed by transfer': '?status=Failed&channel=BANK_TRANSFER',
  'a year': `?${someYear}`,
  'a year, Successful': `?${someYear}&status=Successful`,
  'a year, Failed': `?${someYear}&status=Failed`,
  'a year, USSD': `?${someYear}&channel=USSD`,
  'a year, USSD, Failed': `?${someYear}&channel=USSD&status=Failed`,
  'old, Failed': `?endDate=${day(600)}&status=Failed`,
  reference: '?reference=TRX_500',
  'search id': ({ firstId }) => `?search=${firstId + 500}`,
  'search reference': '?search=TRX_500',
  'search nothing has': '?search=xylophone',
  'search whole name': '?search=Ngozi%20Okafor',
  'search last name': '?search=okafor',
  'search part of a name': '?search=dani',
  'search whole email': '?search=ada.okeke4444%40gmail.com',
  'search email domain': '?search=gmail',
  'search domain, page 3': onward('search=gmail', 2),
  'search two letters': '?search=ad',
  'search two rare letters': '?search=qq',
  'search one letter': '?search=z',
  'search last name, Failed': '?search=okafor&status=Failed',
  'search name, Refunded': '?search=Ngozi%20Okafor&status=Refunded',
  'search last name, OFFLINE': '?search=okafor&channel=OFFLINE',
  'search domain, Pending': '?search=gmail&status=Pending',
  'search last name, a year': `?search=okafor&${someYear}`,
  'totals of 30 days': '/totals',
  'totals of a year': `/totals?startDate=${day(365)}`,
}

export const TRANSACTION_LIST: List = {
  things: 'transactions',
  path: PATH,
  queries,
  exportPath: `${PATH}/export`,
  fill: fillTransactions,
  texts: 'transaction_texts',
}

/** Transactions from two years, most of them paid, with their search text. */
async function fillTransactions(client: pg.Client, filling: Filling): Promise<void> {
  await client.query(transactionsOf(filling))
  await fillTexts(client, filling.businessId, TRANSACTIONS)
}

// Terms such as n * 7919 % 10007 spread values in the same way in each run.
const transactionsOf = ({ businessId, rows, firstId }: Filling) => `
  insert into transactions
    (business_id, live, id, reference, purpose, purpose_id, status, channel, amount_minor,
     fee_minor, fee_bearer, payable_minor, paid_minor, refunding_minor, refunded_minor, currency,
     customer_email, customer_name, invoice_reference, provider, message, paid_at, expires_at,
     timeline, event_sequence, created_at, updated_at)
  select ${businessId}, false, ${firstId} + n, 'TRX_' || n, 'invoice', ${firstId} + n, status,
    channel, amount, 25000, 'business', amount, paid, refunded, refunded, 'NGN',
    lower(first) || '.' || lower(last) || (n * 31 % 9973) || '@' || ${pick(DOMAINS, 'n * 13 / 7')},
    first || ' ' || last, 'INV_' || md5(n::text), 'simulator', 'Approved',
    case when paid is not null then created end,
    case status when 'Pending' then now() + interval '1 day' else created end,
    '[{"status":"Pending","at":"2026-01-01T00:00:00.000Z","message":null}]', 2, created, created
  from (
    select *, case when status in ('Successful', 'PartiallyRefunded', 'Refunded') then amount end
        as paid,
      case status when 'Refunded' then amount when 'PartiallyRefunded' then amount / 2 else 0 end
        as refunded
    from (
      select n, ${pick(FIRST, 'n * 7919 % 10007')} as first,
        ${pick(LAST, 'n * 104729 % 10009')} as last,
        100000 + n * 7 % 9000000 as amount,
        case when r < 80 then 'Successful' when r < 88 then 'Failed' when r < 95 then 'Abandoned'
          when r < 97 then 'Pending' when r < 98 then 'PartiallyRefunded' else 'Refunded' end
          as status,
        case when c < 60 then 'BANK_TRANSFER' when c < 90 then 'USSD' else 'OFFLINE' end
          as channel,
        date_trunc('milliseconds', now() - interval '730 days' * (1 - n / ${rows}.0))
          as created
      from (
        select n, n * 48271 % 100 as r, n * 16807 / 100 % 97 * 100 / 97 as c
        from generate_series(1::bigint, ${rows}) n
      ) numbered
    ) described
  ) valued`
