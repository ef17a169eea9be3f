import type { Damage } from './shop.ts'

/* What can be wrong with invoices, their payments, and what arrived for them. */

export const invoices: Damage[] = [
  [
    'a Paid invoice of which nothing was paid',
    ({ paid }) => `update invoices set paid_minor = 0 where id = ${paid}`,
    ({ paid }) => [`invoice-payments: invoices ${paid}`, `invoice-states: invoices ${paid}`],
  ],
  [
    'a Paid invoice set back to Sent',
    ({ paid }) => `update invoices set status = 'Sent', paid_at = null where id = ${paid}`,
    ({ paid }) => [`invoice-states: invoices ${paid}`],
  ],
  [
    'a Paid invoice set back to Sent, and to nothing paid',
    ({ paid }) =>
      `update invoices set status = 'Sent', paid_at = null, paid_minor = 0 where id = ${paid}`,
    ({ paid }) => [`invoice-payments: invoices ${paid}`],
  ],
  [
    'an invoice PartiallyPaid by nobody',
    ({ open }) => `update invoices set status = 'PartiallyPaid' where id = ${open}`,
    ({ open }) => [`invoice-states: invoices ${open}`],
  ],
  [
    'an invoice of which more was paid than came in',
    ({ part }) => `update invoices set paid_minor = paid_minor + 1 where id = ${part}`,
    ({ part }) => [`invoice-payments: invoices ${part}`],
  ],
  [
    'an invoice that is gone',
    ({ part }) => `with gone as (delete from events where object_id = ${part})
      delete from invoices where id = ${part}`,
    ({ cash }) => [`paid-invoices: transactions ${cash}`],
  ],
]

export const payments: Damage[] = [
  [
    'a payment of more, all of it owed back',
    ({ transfer }) => `update transactions set paid_minor = paid_minor + 1,
      excess_minor = excess_minor + 1 where id = ${transfer}`,
    ({ transfer, deposit }) => [
      `deposits: deposits ${deposit}`,
      `settlements: transactions ${transfer}`,
    ],
  ],
  [
    'a payment of which nothing is owed back any more',
    ({ transfer }) => `update transactions set excess_minor = 0 where id = ${transfer}`,
    ({ transfer, paid }) => [
      `invoice-payments: invoices ${paid}`,
      `settlements: transactions ${transfer}`,
    ],
  ],
  [
    'a payment of which more is owed back than came in',
    ({ cash }) => `update transactions set excess_minor = paid_minor + 1 where id = ${cash}`,
    ({ cash, part }) => [
      `invoice-payments: invoices ${part}`,
      `payment-states: transactions ${cash}`,
    ],
  ],
  [
    'a payment with another fee',
    ({ transfer }) => `update transactions set fee_minor = fee_minor - 1 where id = ${transfer}`,
    ({ transfer }) => [`settlements: transactions ${transfer}`],
  ],
  [
    'a Successful transaction set to Failed',
    ({ transfer }) => `update transactions set status = 'Failed' where id = ${transfer}`,
    ({ transfer }) => [`payment-states: transactions ${transfer}`],
  ],
  [
    'a Successful transaction set to Failed with all other traces of its payment',
    ({ transfer }) => `update transactions set status = 'Failed', paid_at = null,
      paid_minor = null, excess_minor = 0 where id = ${transfer}`,
    ({ transfer, paid, deposit, account }) => [
      `deposits: deposits ${deposit}`,
      `invoice-payments: invoices ${paid}`,
      `settlements: transactions ${transfer}`,
      `virtual-accounts: virtual_accounts ${account}`,
    ],
  ],
  [
    'an invented payment',
    ({ open, business }) => `insert into transactions (business_id, live, id, reference, purpose,
        purpose_id, status, channel, amount_minor, fee_minor, fee_bearer, payable_minor,
        paid_minor, currency, provider, paid_at, expires_at, created_at, updated_at)
      select business_id, live, -id, 'TRX_' || -id, 'invoice', id, 'Successful', 'USSD', 700, 0,
        'business', 700, 700, 'NGN', 'simulator', created_at, created_at, created_at, created_at
      from invoices where business_id = ${business} and id = ${open}`,
    ({ open }) => [`invoice-payments: invoices ${open}`, `settlements: transactions ${-open}`],
  ],
  [
    'a payment in cash that is said to have come through us',
    ({ cash }) => `update transactions set channel = 'USSD' where id = ${cash}`,
    ({ cash }) => [`settlements: transactions ${cash}`],
  ],
  [
    'a payment that is said to have come past us',
    ({ transfer }) => `update transactions set channel = 'OFFLINE' where id = ${transfer}`,
    ({ transfer }) => [`settlements: transactions ${transfer}`],
  ],
  [
    'a journal of a transaction that does not exist',
    ({ journal }) => `update ledger_journals set cause_id = -cause_id where id = ${journal}`,
    ({ journal, transfer }) => [
      `settled: ledger_journals ${journal}`,
      `settlements: transactions ${transfer}`,
    ],
  ],
]

export const arrivals: Damage[] = [
  [
    'a deposit that is gone',
    ({ deposit }) => `delete from deposits where id = ${deposit}`,
    ({ account }) => [`virtual-accounts: virtual_accounts ${account}`],
  ],
  [
    'a deposit of another amount',
    ({ deposit }) => `update deposits set amount_minor = 1 where id = ${deposit}`,
    ({ deposit }) => [`deposits: deposits ${deposit}`],
  ],
  [
    'a deposit that was sent back after all',
    ({ deposit }) => `update deposits set status = 'Rejected' where id = ${deposit}`,
    ({ account }) => [`virtual-accounts: virtual_accounts ${account}`],
  ],
  [
    'a deposit of nobody',
    ({ deposit }) => `update deposits set virtual_account_id = null where id = ${deposit}`,
    ({ deposit, account }) => [
      `deposits: deposits ${deposit}`,
      `virtual-accounts: virtual_accounts ${account}`,
    ],
  ],
  [
    'a deposit on an account that waits',
    ({ deposit, waiting }) =>
      `update deposits set virtual_account_id = ${waiting} where id = ${deposit}`,
    ({ deposit, account, waiting }) => [
      `deposits: deposits ${deposit}`,
      `virtual-accounts: virtual_accounts ${account}`,
      `virtual-accounts: virtual_accounts ${waiting}`,
    ],
  ],
  [
    'an account that is open again',
    ({ account }) => `update virtual_accounts set status = 'Open' where id = ${account}`,
    ({ account }) => [`virtual-accounts: virtual_accounts ${account}`],
  ],
  [
    'an account left open by what was given up',
    ({ pending }) => `update transactions set status = 'Abandoned' where id = ${pending}`,
    ({ waiting }) => [`virtual-accounts: virtual_accounts ${waiting}`],
  ],
]
