import type { Damage } from './shop.ts'

/* Damage to invoices, their payments and their deposits. */

export const invoices: Damage[] = [
  [
    'a Paid invoice without a paid amount',
    ({ paid }) => `update invoices set paid_minor = 0 where id = ${paid}`,
    ({ paid }) => [`invoice-payments: invoices ${paid}`, `invoice-states: invoices ${paid}`],
  ],
  [
    'a Paid invoice set back to Sent',
    ({ paid }) => `update invoices set status = 'Sent', paid_at = null where id = ${paid}`,
    ({ paid }) => [`invoice-states: invoices ${paid}`],
  ],
  [
    'a Paid invoice set back to Sent, with nothing paid',
    ({ paid }) =>
      `update invoices set status = 'Sent', paid_at = null, paid_minor = 0 where id = ${paid}`,
    ({ paid }) => [`invoice-payments: invoices ${paid}`],
  ],
  [
    'a PartiallyPaid invoice without a payment',
    ({ open }) => `update invoices set status = 'PartiallyPaid' where id = ${open}`,
    ({ open }) => [`invoice-states: invoices ${open}`],
  ],
  [
    'an invoice with more paid than was received',
    ({ part }) => `update invoices set paid_minor = paid_minor + 1 where id = ${part}`,
    ({ part }) => [`invoice-payments: invoices ${part}`],
  ],
  [
    'a missing invoice',
    ({ part }) => `with gone as (delete from events where object_id = ${part})
      delete from invoices where id = ${part}`,
    ({ cash }) => [`paid-invoices: transactions ${cash}`],
  ],
]

export const payments: Damage[] = [
  [
    'a payment of a larger amount, with the excess owed back',
    ({ transfer }) => `update transactions set paid_minor = paid_minor + 1,
      excess_minor = excess_minor + 1 where id = ${transfer}`,
    ({ transfer, deposit }) => [
      `deposits: deposits ${deposit}`,
      `settlements: transactions ${transfer}`,
    ],
  ],
  [
    'a payment of which nothing is owed back any longer',
    ({ transfer }) => `update transactions set excess_minor = 0 where id = ${transfer}`,
    ({ transfer, paid }) => [
      `invoice-payments: invoices ${paid}`,
      `settlements: transactions ${transfer}`,
    ],
  ],
  [
    'a payment of which more is owed back than was received',
    ({ cash }) => `update transactions set excess_minor = paid_minor + 1 where id = ${cash}`,
    ({ cash, part }) => [
      `invoice-payments: invoices ${part}`,
      `payment-states: transactions ${cash}`,
    ],
  ],
  [
    'a payment with a different fee',
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
    'a cash payment recorded as received by us',
    ({ cash }) => `update transactions set channel = 'USSD' where id = ${cash}`,
    ({ cash }) => [`settlements: transactions ${cash}`],
  ],
  [
    'a payment recorded as received offline',
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
    'a missing deposit',
    ({ deposit }) => `delete from deposits where id = ${deposit}`,
    ({ account }) => [`virtual-accounts: virtual_accounts ${account}`],
  ],
  [
    'a deposit of a different amount',
    ({ deposit }) => `update deposits set amount_minor = 1 where id = ${deposit}`,
    ({ deposit }) => [`deposits: deposits ${deposit}`],
  ],
  [
    'an accepted deposit recorded as sent back',
    ({ deposit }) =>
      `update deposits set status = 'Rejected', return_status = 'ReturnedByProvider'
        where id = ${deposit}`,
    ({ account }) => [`virtual-accounts: virtual_accounts ${account}`],
  ],
  [
    'an accepted deposit recorded as kept by the provider',
    ({ deposit }) =>
      `update deposits set status = 'Rejected', return_status = 'Held' where id = ${deposit}`,
    ({ deposit, account }) => [
      `held-deposits: deposits ${deposit}`,
      `virtual-accounts: virtual_accounts ${account}`,
    ],
  ],
  [
    'a deposit without a virtual account',
    ({ deposit }) => `update deposits set virtual_account_id = null where id = ${deposit}`,
    ({ deposit, account }) => [
      `deposits: deposits ${deposit}`,
      `virtual-accounts: virtual_accounts ${account}`,
    ],
  ],
  [
    'a deposit into an account that still waits for one',
    ({ deposit, waiting }) =>
      `update deposits set virtual_account_id = ${waiting} where id = ${deposit}`,
    ({ deposit, account, waiting }) => [
      `deposits: deposits ${deposit}`,
      `virtual-accounts: virtual_accounts ${account}`,
      `virtual-accounts: virtual_accounts ${waiting}`,
    ],
  ],
  [
    'a closed account that is open again',
    ({ account }) => `update virtual_accounts set status = 'Open' where id = ${account}`,
    ({ account }) => [`virtual-accounts: virtual_accounts ${account}`],
  ],
  [
    'an open account of an abandoned payment',
    ({ pending }) => `update transactions set status = 'Abandoned' where id = ${pending}`,
    ({ waiting }) => [`virtual-accounts: virtual_accounts ${waiting}`],
  ],
]
