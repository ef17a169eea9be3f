/* Changes that someone with database access can make, and what the audit must report. */

/** The ids of the rows that tests tamper with. */
export interface Rows {
  business: number
  /** An owner and a viewer. */
  owner: number
  viewer: number
  /** A transfer that the owner created and someone else approved, and one that needs approval. */
  sent: number
  held: number
  subaccount: number
  settlement: number
  /** The first event of the invoice, and the last. */
  created: number
  last: number
  invoice: number
  /** A request of the owner without an outcome. */
  asked: number
  /** The journal of a simulated top-up of the test wallet. */
  simulated: number
  /** An unused id. */
  free: number
}

/** The change, its statements, and the findings: `table id: problem [check]`. */
export type Tampering = [title: string, sql: (of: Rows) => string, says: (of: Rows) => string[]]

/** Posts money with a cause in live mode, the way the server would. */
const forgedLive = (cause: string) => (of: Rows) =>
  `
  insert into ledger_accounts (business_id, live, id, kind, subject_id, currency, debits_minor,
    credits_minor, created_at)
  values (${of.business}, true, ${of.free}, 'provider_clearing', 1, 'NGN', 500000, 0, now()),
    (${of.business}, true, ${of.free} + 1, 'wallet_available', 0, 'NGN', 0, 500000, now());
  insert into ledger_journals
  values (${of.business}, true, ${of.free} + 2, ${cause}, 'fund', now());
  insert into ledger_transfers (business_id, live, id, journal_id, debit_account_id,
    credit_account_id, amount_minor, currency, kind, created_at)
  values (${of.business}, true, ${of.free} + 3, ${of.free} + 2, ${of.free}, ${of.free} + 1, 500000,
    'NGN', 'funding', now());
  insert into ledger_unsealed values (${of.business}, true, ${of.free} + 2)`

const notWritten = 'it was changed'
const notNoted = 'it differs from its last note'
const forged = 'the server did not write it: it has no note'

export const money: Tampering[] = [
  [
    'money of a simulation in live mode',
    (of) => forgedLive(`'simulation', ${of.free}`)(of),
    (of) => [
      `ledger_journals ${of.free + 2}: its cause is only allowed in test mode: fund of simulation ${of.free} [known-causes]`,
      `ledger_journals ${of.free + 2}: its simulation ${of.free} does not exist [simulated-money]`,
      `ledger_accounts ${of.free}: its connection 1 is for the test mode of every business [connection-accounts]`,
    ],
  ],
  [
    'opening money in live mode',
    (of) => forgedLive(`'business', ${of.business}`)(of),
    (of) => [
      `ledger_journals ${of.free + 2}: its cause is only allowed in test mode: fund of business ${of.business} [known-causes]`,
    ],
  ],
  [
    'money of an unknown cause',
    (of) => forgedLive(`'gift', ${of.free}`)(of),
    (of) => [
      `ledger_journals ${of.free + 2}: its cause is unknown: fund of gift ${of.free} [known-causes]`,
    ],
  ],
  [
    'money from a transaction under a different verb',
    (of) => forgedLive(`'transaction', ${of.free}`)(of),
    (of) => [
      `ledger_journals ${of.free + 2}: its cause is unknown: fund of transaction ${of.free} [known-causes]`,
      `ledger_journals ${of.free + 2}: its transaction ${of.free} (fund) does not exist [settled]`,
    ],
  ],
  [
    'the opening money of another business',
    (of) => `update ledger_journals set cause_id = 1
      where business_id = ${of.business} and cause_type = 'business'`,
    () => ['it is the opening balance of business 1 [opening-money]'],
  ],
  [
    'a simulation of a different amount',
    (of) => `update simulated_fundings set amount_minor = 1 where business_id = ${of.business}`,
    (of) => [`ledger_journals ${of.simulated}: it moves 200000 NGN, but its simulation`],
  ],
]

export const events: Tampering[] = [
  [
    'the data of an event',
    (of) => `update events set data = replace(data, 'Sent', 'Paid') where id = ${of.created}`,
    (of) => [`events ${of.created}: ${notWritten} [event-digests]`],
  ],
  [
    'the type of an event',
    (of) => `update events set type = 'invoice.paid' where id = ${of.last}`,
    (of) => [`events ${of.last}: ${notWritten} [event-digests]`],
  ],
  [
    'the time of an event',
    (of) => `update events set created_at = created_at - interval '1 microsecond'
      where id = ${of.created}`,
    (of) => [`events ${of.created}: ${notWritten} [event-digests]`],
  ],
  [
    'an event that is changed to look older than digests',
    (of) => `update events set data = '{}', salt = null where id = ${of.created}`,
    (of) => [`events ${of.created}: ${notWritten} [event-digests]`],
  ],
  [
    'an event that is removed and no longer counted',
    (of) => `delete from events where id = ${of.last};
      update invoices set event_sequence = event_sequence - 1 where id = ${of.invoice}`,
    (of) => [`events ${of.last}: it is missing, but its digest still exists [lost-events]`],
  ],
  [
    'a forged event that is counted',
    (of) => `insert into events (business_id, live, id, reference, type, object_type, object_id,
        sequence, data, created_at)
      values (${of.business}, false, ${of.free}, 'evt_forged', 'invoice.paid', 'invoice',
        ${of.invoice}, 3, '{}', now());
      update invoices set event_sequence = 3 where id = ${of.invoice}`,
    (of) => [`events ${of.free}: the server did not write it: it has no digest [event-digests]`],
  ],
  [
    'a forged event with a salt',
    (of) => `insert into events (business_id, live, id, reference, type, object_type, object_id,
        sequence, data, created_at, salt)
      values (${of.business}, false, ${of.free}, 'evt_forged', 'invoice.paid', 'invoice',
        ${of.invoice}, 3, '{}', now(), 'salt');
      update invoices set event_sequence = 3 where id = ${of.invoice}`,
    (of) => [`events ${of.free}: its digest is missing [event-digests]`],
  ],
  [
    'an event that is removed and recorded as forgotten',
    (of) => `insert into forgotten_events
      select business_id, live, id, object_type, object_id, sequence from events
      where id = ${of.last};
      delete from events where id = ${of.last}`,
    (of) => [
      `forgotten_events ${of.last}: the server did not forget it: it has no digest [forgotten-events]`,
    ],
  ],
  [
    'replaced digests',
    (of) => `update digest_seals set digests[1] = sha256('x') where business_id = ${of.business}
      and kind = 'event' and seq = (select min(seq) from digest_seals
        where business_id = ${of.business} and kind = 'event')`,
    () => ['the seal or its hash was changed [digest-seals]', notWritten],
  ],
  [
    'digests removed from the middle',
    (of) => `delete from digest_seals where business_id = ${of.business} and seq = 1`,
    () => ['digest_seals 2: seals 1 to 1 are missing [digest-seals]'],
  ],
  [
    'digests removed from the end of the chain',
    (of) => `delete from digest_seals s where business_id = ${of.business}
      and seq = (select max(seq) from digest_seals where business_id = ${of.business})`,
    () => ['[digest-chain-ends]'],
  ],
]

/** A setting of a business in both modes, which is noted from the start. */
const setting = (title: string, sets: string): Tampering[] =>
  ['live', 'not live'].map((mode) => [
    `${title}, in mode ${mode}`,
    (of) => `update business_settings set ${sets} where business_id = ${of.business} and ${mode}`,
    (of) => [`business_settings ${of.business}: ${notNoted} [business-settings-4-notes]`],
  ])

export const rows: Tampering[] = [
  [
    'the account of a transfer',
    (of) => `update transfers set account_hash = '\\x99' where id = ${of.held}`,
    (of) => [`transfers ${of.held}: ${notNoted} [transfer-recipient-notes]`],
  ],
  [
    'the creator of a transfer',
    (of) => `update transfers set created_by = ${of.viewer} where id = ${of.sent}`,
    (of) => [`transfers ${of.sent}: ${notNoted} [transfer-recipient-notes]`],
  ],
  [
    'the approver of a transfer',
    (of) => `update transfers set approved_by = ${of.viewer} where id = ${of.sent}`,
    (of) => [`transfers ${of.sent}: ${notNoted} [transfer-recipient-notes]`],
  ],
  [
    'the name of the creator of a transfer',
    (of) => `update transfers set created_by_name = 'X' where id = ${of.sent}`,
    (of) => [`transfers ${of.sent}: ${notNoted} [transfer-recipient-notes]`],
  ],
  [
    'the name of the approver of a transfer',
    (of) => `update transfers set approved_by_name = 'X' where id = ${of.sent}`,
    (of) => [`transfers ${of.sent}: ${notNoted} [transfer-recipient-notes]`],
  ],
  [
    'the description that the recipient of a transfer reads',
    (of) => `update transfers set narration = 'X' where id = ${of.held}`,
    (of) => [`transfers ${of.held}: ${notNoted} [transfer-recipient-notes]`],
  ],
  [
    'the account of a settlement',
    (of) => `update settlements set account_hash = '\\x99' where id = ${of.settlement}`,
    (of) => [`settlements ${of.settlement}: ${notNoted} [settlement-account-notes]`],
  ],
  [
    'the account of a subaccount',
    (of) => `update subaccounts set account_hash = '\\x99' where id = ${of.subaccount}`,
    (of) => [`subaccounts ${of.subaccount}: ${notNoted} [subaccount-account-notes]`],
  ],
  [
    'the settlement account of a business',
    (of) => `update business_settings set account_number_plain = '9999999999',
      account_encrypted = null, account_hash = null, account_last4 = null
      where business_id = ${of.business} and not live`,
    (of) => [`business_settings ${of.business}: ${notNoted} [business-settings-4-notes]`],
  ],
  [
    'the settlement account in a mode whose settings were never changed',
    (of) => `update business_settings set settlement_bank_code = '058',
      account_number_plain = '9999999999', settlement_account_name = 'X'
      where business_id = ${of.business} and live`,
    (of) => [`business_settings ${of.business}: ${notNoted} [business-settings-4-notes]`],
  ],
  ...setting('the account that payers see for direct payments', `manual_payment = '{}'`),
  ...setting('the schedule of payouts', `payout_schedule = 'daily', payout_at = now()`),
  ...setting('the end of a pause of payouts', 'payouts_paused_until = now()'),
  ...setting('the policy for deposits', `virtual_account_policy = 'accept_partial'`),
  ...setting('the time zone, which decides when a day begins', `time_zone = 'Asia/Tokyo'`),
  ...setting('the start of the day on which the time zone changed', `day_began_at = now()`),
  [
    'the approval limit',
    (of) => `update business_settings set transfer_approval_above_minor = null
      where business_id = ${of.business} and not live`,
    (of) => [`business_settings ${of.business}: ${notNoted} [business-settings-4-notes]`],
  ],
  [
    'the role of a member',
    (of) => `update members set role = 'owner' where person_id = ${of.viewer}`,
    (of) => [`members ${of.viewer}: ${notNoted} [member-notes]`],
  ],
  [
    'a member who was never invited',
    (of) => `insert into people (id, email, name, password_hash, created_at, updated_at)
      values (${of.free}, 'forged${of.free}@people.example', 'X', 'x', now(), now());
      insert into members values (${of.business}, ${of.free}, 'owner', now())`,
    (of) => [`members ${of.free}: ${forged} [member-notes]`],
  ],
  [
    'a removed member',
    (of) => `delete from members where person_id = ${of.viewer}`,
    (of) => [`members ${of.viewer}: it is missing [member-notes]`],
  ],
  [
    'the requirement of a second factor',
    (of) => `update businesses set requires_two_factor = true where id = ${of.business}`,
    (of) => [`businesses ${of.business}: ${forged} [business-notes]`],
  ],
  [
    'a person’s request, before its outcome is in the audit log',
    (of) => `delete from audit_asked where id = ${of.asked}`,
    (of) => [`audit_asked ${of.asked}: it is missing [asked-notes]`],
  ],
  [
    'a row that is reverted, together with the note of its change',
    (of) => `update transfers set approved_by = null where id = ${of.sent};
      delete from row_notes where subject_id = ${of.sent} and number = 2`,
    () => ['it is missing, but its digest still exists [row-notes]'],
  ],
  [
    'a note with another salt',
    (of) => `update row_notes set salt = 'x' where subject_id = ${of.held}`,
    (of) => [`transfers ${of.held}: ${notNoted} [transfer-recipient-notes]`],
  ],
  [
    'the digest of a note',
    (of) => `delete from digest_seals where business_id = ${of.business} and kind = 'row'`,
    (of) => [`transfers ${of.held}: its note has no digest any more [transfer-recipient-notes]`],
  ],
]
