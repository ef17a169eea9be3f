/* What somebody with the database may do past the server, and what the audit must say of it. */

/** The ids of the rows that are tampered with. */
export interface Rows {
  business: number
  /** An owner and a viewer. */
  owner: number
  viewer: number
  /** A transfer that the owner made and another person approved, and one that waits. */
  sent: number
  held: number
  subaccount: number
  settlement: number
  /** The first event of the invoice, and the last. */
  created: number
  last: number
  invoice: number
  /** What the owner asked for and has no answer to. */
  asked: number
  /** The journal of money that was put into the test wallet by hand. */
  simulated: number
  /** An id that nothing has. */
  free: number
}

/** What is done, the statements, and what is said: `table id: problem [check]`. */
export type Tampering = [title: string, sql: (of: Rows) => string, says: (of: Rows) => string[]]

/** Money of a cause in live mode, as the server itself would write it. */
const forgedLive = (cause: string) => (of: Rows) =>
  `
  insert into ledger_accounts (business_id, live, id, kind, currency, debits_minor, credits_minor,
    created_at)
  values (${of.business}, true, ${of.free}, 'provider_clearing', 'NGN', 500000, 0, now()),
    (${of.business}, true, ${of.free} + 1, 'wallet_available', 'NGN', 0, 500000, now());
  insert into ledger_journals
  values (${of.business}, true, ${of.free} + 2, ${cause}, 'fund', now());
  insert into ledger_transfers (business_id, live, id, journal_id, debit_account_id,
    credit_account_id, amount_minor, currency, kind, created_at)
  values (${of.business}, true, ${of.free} + 3, ${of.free} + 2, ${of.free}, ${of.free} + 1, 500000,
    'NGN', 'funding', now());
  insert into ledger_unsealed values (${of.business}, true, ${of.free} + 2)`

const notWritten = 'it was changed'
const notNoted = 'it differs from what was last recorded'
const forged = 'the server did not write it: it has no note'

export const money: Tampering[] = [
  [
    'money of a simulation in live mode',
    (of) => forgedLive(`'simulation', ${of.free}`)(of),
    (of) => [
      `ledger_journals ${of.free + 2}: its cause is in test mode only: fund of simulation ${of.free} [known-causes]`,
      `ledger_journals ${of.free + 2}: the simulation ${of.free} does not exist [simulated-money]`,
    ],
  ],
  [
    'opening money in live mode',
    (of) => forgedLive(`'business', ${of.business}`)(of),
    (of) => [
      `ledger_journals ${of.free + 2}: its cause is in test mode only: fund of business ${of.business} [known-causes]`,
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
    'money that a transaction brings in by another verb',
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
    () => ['it opens the wallet of business 1 [opening-money]'],
  ],
  [
    'a simulation of another amount',
    (of) => `update simulated_fundings set amount_minor = 1 where business_id = ${of.business}`,
    (of) => [`ledger_journals ${of.simulated}: it moves 200000 NGN, the simulation`],
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
    'an event that is said to be from before digests',
    (of) => `update events set data = '{}', salt = null where id = ${of.created}`,
    (of) => [`events ${of.created}: ${notWritten} [event-digests]`],
  ],
  [
    'an event that is removed, and not counted any more',
    (of) => `delete from events where id = ${of.last};
      update invoices set event_sequence = event_sequence - 1 where id = ${of.invoice}`,
    (of) => [`events ${of.last}: it is missing; its digest still exists [lost-events]`],
  ],
  [
    'an event that is forged, and counted',
    (of) => `insert into events (business_id, live, id, reference, type, object_type, object_id,
        sequence, data, created_at)
      values (${of.business}, false, ${of.free}, 'evt_forged', 'invoice.paid', 'invoice',
        ${of.invoice}, 3, '{}', now());
      update invoices set event_sequence = 3 where id = ${of.invoice}`,
    (of) => [`events ${of.free}: the server did not write it: it has no digest [event-digests]`],
  ],
  [
    'an event that is forged with a salt',
    (of) => `insert into events (business_id, live, id, reference, type, object_type, object_id,
        sequence, data, created_at, salt)
      values (${of.business}, false, ${of.free}, 'evt_forged', 'invoice.paid', 'invoice',
        ${of.invoice}, 3, '{}', now(), 'salt');
      update invoices set event_sequence = 3 where id = ${of.invoice}`,
    (of) => [`events ${of.free}: its digest is missing [event-digests]`],
  ],
  [
    'an event that is removed as if it had been forgotten',
    (of) => `insert into forgotten_events
      select business_id, live, id, object_type, object_id, sequence from events
      where id = ${of.last};
      delete from events where id = ${of.last}`,
    (of) => [
      `forgotten_events ${of.last}: the server did not forget it: it has no digest [forgotten-events]`,
    ],
  ],
  [
    'digests that are replaced',
    (of) => `update digest_seals set digests[1] = sha256('x') where business_id = ${of.business}
      and kind = 'event' and seq = (select min(seq) from digest_seals
        where business_id = ${of.business} and kind = 'event')`,
    () => ['the seal or its hash was changed [digest-seals]', notWritten],
  ],
  [
    'digests that are removed from the middle',
    (of) => `delete from digest_seals where business_id = ${of.business} and seq = 1`,
    () => ['digest_seals 2: missing: seals 1 to 1 [digest-seals]'],
  ],
  [
    'the end of the chain of digests cut off',
    (of) => `delete from digest_seals s where business_id = ${of.business}
      and seq = (select max(seq) from digest_seals where business_id = ${of.business})`,
    () => ['[digest-chain-ends]'],
  ],
]

/** A setting of a business, in both modes: it is noted from the start. */
const setting = (title: string, sets: string): Tampering[] =>
  ['live', 'not live'].map((mode) => [
    `${title}, where the mode is ${mode}`,
    (of) => `update business_settings set ${sets} where business_id = ${of.business} and ${mode}`,
    (of) => [`business_settings ${of.business}: ${notNoted} [business-settings-notes]`],
  ])

export const rows: Tampering[] = [
  [
    'the account of a transfer',
    (of) => `update transfers set account_number = '9999999999' where id = ${of.held}`,
    (of) => [`transfers ${of.held}: ${notNoted} [transfer-details-notes]`],
  ],
  [
    'who made a transfer',
    (of) => `update transfers set created_by = ${of.viewer} where id = ${of.sent}`,
    (of) => [`transfers ${of.sent}: ${notNoted} [transfer-details-notes]`],
  ],
  [
    'who approved a transfer',
    (of) => `update transfers set approved_by = ${of.viewer} where id = ${of.sent}`,
    (of) => [`transfers ${of.sent}: ${notNoted} [transfer-details-notes]`],
  ],
  [
    'the name of who made a transfer',
    (of) => `update transfers set created_by_name = 'X' where id = ${of.sent}`,
    (of) => [`transfers ${of.sent}: ${notNoted} [transfer-details-notes]`],
  ],
  [
    'the name of who approved a transfer',
    (of) => `update transfers set approved_by_name = 'X' where id = ${of.sent}`,
    (of) => [`transfers ${of.sent}: ${notNoted} [transfer-details-notes]`],
  ],
  [
    'what the recipient of a transfer reads',
    (of) => `update transfers set narration = 'X' where id = ${of.held}`,
    (of) => [`transfers ${of.held}: ${notNoted} [transfer-details-notes]`],
  ],
  [
    'the account of a settlement',
    (of) => `update settlements set account_number = '9999999999' where id = ${of.settlement}`,
    (of) => [`settlements ${of.settlement}: ${notNoted} [settlement-notes]`],
  ],
  [
    'the account of a subaccount',
    (of) => `update subaccounts set account_number = '9999999999' where id = ${of.subaccount}`,
    (of) => [`subaccounts ${of.subaccount}: ${notNoted} [subaccount-notes]`],
  ],
  [
    'where settlements of a business go',
    (of) => `update business_settings set settlement_account_number = '9999999999'
      where business_id = ${of.business} and not live`,
    (of) => [`business_settings ${of.business}: ${notNoted} [business-settings-notes]`],
  ],
  [
    'where settlements go, in a mode whose settings nobody ever changed',
    (of) => `update business_settings set settlement_bank_code = '058',
      settlement_account_number = '9999999999', settlement_account_name = 'X'
      where business_id = ${of.business} and live`,
    (of) => [`business_settings ${of.business}: ${notNoted} [business-settings-notes]`],
  ],
  ...setting('the account that payers are told to pay into', `manual_payment = '{}'`),
  ...setting('until when payouts pause', 'payouts_paused_until = now()'),
  ...setting('which deposits count', `virtual_account_policy = 'accept_partial'`),
  ...setting('what redirects are signed with', `redirect_secret = 'rsec_known'`),
  ...setting('the time zone that says when a day begins', `time_zone = 'Asia/Tokyo'`),
  ...setting('when the day of a change of the time zone began', `day_began_at = now()`),
  [
    'the limit that needs approval',
    (of) => `update business_settings set transfer_approval_above_minor = null
      where business_id = ${of.business} and not live`,
    (of) => [`business_settings ${of.business}: ${notNoted} [business-settings-notes]`],
  ],
  [
    'the role of a member',
    (of) => `update members set role = 'owner' where person_id = ${of.viewer}`,
    (of) => [`members ${of.viewer}: ${notNoted} [member-notes]`],
  ],
  [
    'a member that nobody let in',
    (of) => `insert into people (id, email, name, password_hash, created_at, updated_at)
      values (${of.free}, 'forged${of.free}@people.example', 'X', 'x', now(), now());
      insert into members values (${of.business}, ${of.free}, 'owner', now())`,
    (of) => [`members ${of.free}: ${forged} [member-notes]`],
  ],
  [
    'a member that is removed',
    (of) => `delete from members where person_id = ${of.viewer}`,
    (of) => [`members ${of.viewer}: it is missing [member-notes]`],
  ],
  [
    'that a second factor is required',
    (of) => `update businesses set requires_two_factor = true where id = ${of.business}`,
    (of) => [`businesses ${of.business}: ${forged} [business-notes]`],
  ],
  [
    'what a person asked for, before its outcome is in the log',
    (of) => `delete from audit_asked where id = ${of.asked}`,
    (of) => [`audit_asked ${of.asked}: it is missing [asked-notes]`],
  ],
  [
    'a row that goes back to what it was, with the note of its change',
    (of) => `update transfers set approved_by = null where id = ${of.sent};
      delete from row_notes where subject_id = ${of.sent} and number = 2`,
    () => ['it is missing; its digest still exists [row-notes]'],
  ],
  [
    'a note with another salt',
    (of) => `update row_notes set salt = 'x' where subject_id = ${of.held}`,
    (of) => [`transfers ${of.held}: ${notNoted} [transfer-details-notes]`],
  ],
  [
    'the digest of a note',
    (of) => `delete from digest_seals where business_id = ${of.business} and kind = 'row'`,
    (of) => [`transfers ${of.held}: its note has lost its digest [transfer-details-notes]`],
  ],
]
