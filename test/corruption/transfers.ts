import type { Damage } from './shop.ts'

/* Damage to transfers and their holds. */

export const transfers: Damage[] = [
  [
    'a completed transfer recorded as failed',
    ({ sent }) => `update transfers set status = 'Failed' where id = ${sent}`,
    ({ sent }) => [`transfer-holds: transfers ${sent}`],
  ],
  [
    'an open transfer recorded as completed',
    ({ held }) => `update transfers set status = 'Successful', completed_at = created_at
      where id = ${held}`,
    ({ held }) => [`transfer-holds: transfers ${held}`],
  ],
  [
    'a completed transfer recorded as returned',
    ({ sent }) => `update transfers set status = 'Failed', reversed_at = completed_at
      where id = ${sent}`,
    ({ sent }) => [`transfer-holds: transfers ${sent}`],
  ],
  [
    'a transfer of a different amount, with a fee that makes up for it',
    ({ sent }) => `update transfers set amount_minor = amount_minor + 1, fee_minor = fee_minor - 1
      where id = ${sent}`,
    ({ sent }) => [`transfer-holds: transfers ${sent}`],
  ],
  [
    'a transfer with too little on hold',
    ({ held }) => `update transfers set fee_minor = fee_minor + 1 where id = ${held}`,
    ({ held }) => [`transfer-holds: transfers ${held}`],
  ],
  [
    'a transfer that will not be ordered',
    ({ held }) => `update transfers set status = 'Pending' where id = ${held}`,
    ({ held }) => [`transfer-orders: transfers ${held}`],
  ],
  [
    'a completed transfer that will be ordered again',
    ({ sent }) => `update provider_orders set ended_at = null, next_at = created_at
      where subject_id = ${sent}`,
    ({ sent }) => [`transfer-orders: transfers ${sent}`],
  ],
  [
    'a transfer that the provider would mistake for another',
    ({ held }) => `update provider_orders set sent_reference = sent_reference || '-2'
      where subject_id = ${held}`,
    ({ held }) => [`transfer-orders: transfers ${held}`],
  ],
  [
    'a transfer that another mode’s account would pay',
    ({ held }) => `with other as (
        insert into provider_connections (id, provider, business_id, live, environment, status,
          name, base_url, notice_token, created_by, created_at, updated_at)
        select ${held}, 'paystack', business_id, true, 'production', 'Active', 'x', 'x', 'x', 'x',
          created_at, created_at
        from transfers where id = ${held} returning id)
      update provider_orders set connection_id = (select id from other)
      where subject_id = ${held}`,
    ({ held }) => [`order-connections: provider_orders ${held}`],
  ],
  [
    'an ended transfer without the time of its end',
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
