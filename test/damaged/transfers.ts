import type { Damage } from './shop.ts'

/* What can be wrong with transfers, and with what is held for them. */

export const transfers: Damage[] = [
  [
    'a transfer that was paid, and is said to have failed',
    ({ sent }) => `update transfers set status = 'Failed' where id = ${sent}`,
    ({ sent }) => [`transfer-holds: transfers ${sent}`],
  ],
  [
    'a transfer that waits, and is said to have been paid',
    ({ held }) => `update transfers set status = 'Successful', completed_at = created_at
      where id = ${held}`,
    ({ held }) => [`transfer-holds: transfers ${held}`],
  ],
  [
    'a transfer that is said to have come back',
    ({ sent }) => `update transfers set status = 'Failed', reversed_at = completed_at
      where id = ${sent}`,
    ({ sent }) => [`transfer-holds: transfers ${sent}`],
  ],
  [
    'a transfer of another amount, with a fee that makes up for it',
    ({ sent }) => `update transfers set amount_minor = amount_minor + 1, fee_minor = fee_minor - 1
      where id = ${sent}`,
    ({ sent }) => [`transfer-holds: transfers ${sent}`],
  ],
  [
    'a transfer for which less is held',
    ({ held }) => `update transfers set fee_minor = fee_minor + 1 where id = ${held}`,
    ({ held }) => [`transfer-holds: transfers ${held}`],
  ],
  [
    'a transfer that nobody will order',
    ({ held }) => `update transfers set status = 'Pending' where id = ${held}`,
    ({ held }) => [`transfer-orders: transfers ${held}`],
  ],
  [
    'a transfer that was paid, and will be ordered again',
    ({ sent }) => `update provider_orders set ended_at = null, next_at = created_at
      where subject_id = ${sent}`,
    ({ sent }) => [`transfer-orders: transfers ${sent}`],
  ],
  [
    'a transfer that the provider would take for another one',
    ({ sent }) => `update provider_orders set sent_reference = sent_reference || '-2'
      where subject_id = ${sent}`,
    ({ sent }) => [`transfer-orders: transfers ${sent}`],
  ],
  [
    'a transfer that ended at no time',
    ({ sent }) => `update transfers set completed_at = null where id = ${sent}`,
    ({ sent }) => [`transfer-states: transfers ${sent}`],
  ],
  [
    'a hold of a transfer that does not exist',
    ({ hold }) => `update ledger_journals set cause_id = -cause_id where id = ${hold}`,
    ({ held, hold }) => [
      `transfer-holds: transfers ${held}`,
      `transfer-journals: ledger_journals ${hold}`,
    ],
  ],
]
