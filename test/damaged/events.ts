import { type Damage, lastOf } from './shop.ts'

/* Damage to events of all kinds. */

export const events: Damage[] = [
  [
    'the last event of an invoice gone',
    ({ paid }) => lastOf(paid),
    ({ paid }) => [`invoice-events: invoices ${paid}`],
  ],
  [
    'all events of an invoice gone',
    ({ paid }) => `delete from events where object_id = ${paid}`,
    ({ paid }) => [`invoice-events: invoices ${paid}`],
  ],
  [
    'the last event of a transaction gone',
    ({ transfer }) => lastOf(transfer),
    ({ transfer }) => [`transaction-events: transactions ${transfer}`],
  ],
  [
    'the last event of a transfer gone',
    ({ sent }) => lastOf(sent),
    ({ sent }) => [`transfer-events: transfers ${sent}`],
  ],
  [
    'the last event of an account gone',
    ({ waiting }) => lastOf(waiting),
    ({ waiting }) => [`virtual_account-events: virtual_accounts ${waiting}`],
  ],
  [
    'the last event of a wallet gone',
    ({ wallet }) => lastOf(wallet),
    ({ wallet }) => [`wallet-events: ledger_accounts ${wallet}`],
  ],
  [
    'an event of a key that was never told',
    ({ key }) => `update api_keys set event_sequence = 1 where id = ${key}`,
    ({ key }) => [`api_key-events: api_keys ${key}`],
  ],
  [
    'an event of a business that was never told',
    ({ business }) => `update business_settings set event_sequence = 1
      where business_id = ${business} and not live`,
    ({ business }) => [`business-events: business_settings ${business}`],
  ],
  [
    'an event about nothing',
    ({ event }) => `update events set object_type = 'gift' where id = ${event}`,
    ({ event }) => [`event-objects: events ${event}`],
  ],
]
