import { type Damage, lastOf } from './shop.ts'

/* Damage to events of all kinds. */

export const events: Damage[] = [
  [
    'an invoice without its last event',
    ({ paid }) => lastOf(paid),
    ({ paid }) => [`invoice-events: invoices ${paid}`],
  ],
  [
    'an invoice without any event',
    ({ paid }) => `delete from events where object_id = ${paid}`,
    ({ paid }) => [`invoice-events: invoices ${paid}`],
  ],
  [
    'a transaction without its last event',
    ({ transfer }) => lastOf(transfer),
    ({ transfer }) => [`transaction-events: transactions ${transfer}`],
  ],
  [
    'a transfer without its last event',
    ({ sent }) => lastOf(sent),
    ({ sent }) => [`transfer-events: transfers ${sent}`],
  ],
  [
    'a virtual account without its last event',
    ({ waiting }) => lastOf(waiting),
    ({ waiting }) => [`virtual_account-events: virtual_accounts ${waiting}`],
  ],
  [
    'a deposit without an event',
    ({ deposit }) => `update deposits set event_sequence = 1 where id = ${deposit}`,
    ({ deposit }) => [`deposit-events: deposits ${deposit}`],
  ],
  [
    'a wallet without its last event',
    ({ wallet }) => lastOf(wallet),
    ({ wallet }) => [`wallet-events: ledger_accounts ${wallet}`],
  ],
  [
    'a key without an event',
    ({ key }) => `update api_keys set event_sequence = 1 where id = ${key}`,
    ({ key }) => [`api_key-events: api_keys ${key}`],
  ],
  [
    'a business without an event',
    ({ business }) => `update business_settings set event_sequence = 1
      where business_id = ${business} and not live`,
    ({ business }) => [`business-events: business_settings ${business}`],
  ],
  [
    'an event without an object',
    ({ event }) => `update events set object_type = 'gift' where id = ${event}`,
    ({ event }) => [`event-objects: events ${event}`],
  ],
]
