import type pg from 'pg'
import { TRANSACTIONS } from '../src/payments/attempts/read.ts'
import type { Filling } from './lists-asking.ts'
import { DOMAINS, FIRST, fillTexts, LAST, pick } from './lists-data.ts'

/** Transactions from two years, most of them paid, with their search text. */
export async function fillTransactions(client: pg.Client, filling: Filling): Promise<void> {
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
        date_trunc('milliseconds', now() - interval '730 days' * (${rows} - n) / ${rows})
          as created
      from (
        select n, n * 48271 % 100 as r, n * 16807 / 100 % 97 * 100 / 97 as c
        from generate_series(1::bigint, ${rows}) n
      ) numbered
    ) described
  ) valued`
