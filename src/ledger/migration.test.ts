import { expect, test } from 'vitest'
import { findingsWithin } from '../../test/corruption/findings.ts'
import { openOlderDatabase } from '../../test/older-database.ts'
import { auditChecks } from './audit.ts'

/** The last migration before money at providers was booked for each connection. */
const BEFORE = '0058'
const AT = '2026-11-01T10:00:00.000Z'

test('money at the provider is the simulator’s, and everything adds up as before', {
  timeout: 60_000,
}, async () => {
  const { client, upgrade, close } = await openOlderDatabase(BEFORE)
  try {
    const account = (id: number, kind: string, debits: number, credits: number, subject = 0) =>
      client.query(
        `insert into ledger_accounts values (1, false, $1, $2, $3, 'NGN', $4, $5, 0, $6)`,
        [id, kind, subject, debits, credits, AT],
      )
    await account(11, 'provider_clearing', 700, 0)
    await account(12, 'wallet_available', 0, 400)
    await account(13, 'subaccount', 0, 300, 77)
    await client.query(
      `insert into ledger_journals values (1, false, 21, 'transaction', 1, 'settle', '${AT}')`,
    )
    await client.query(
      `insert into ledger_transfers values
        (1, false, 31, 21, 11, 12, 400, 'NGN', 'charge', '${AT}'),
        (1, false, 32, 21, 11, 13, 300, 'NGN', 'share', '${AT}')`,
    )
    await client.query('insert into ledger_unsealed values (1, false, 21)')

    await upgrade()
    const { rows } = await client.query(
      'select id, kind, subject_id from ledger_accounts where business_id = 1 order by id',
    )
    expect(rows.map((row) => Object.values(row).join(' '))).toEqual([
      '11 provider_clearing 1',
      '12 wallet_available 0',
      '13 subaccount 77',
    ])
    expect(await findingsWithin(client, auditChecks)).toEqual([])

    // A server of the version before fails instead of booking money with no connection.
    await expect(account(14, 'provider_clearing', 0, 0)).rejects.toThrow('ledger_accounts_subject')
    await expect(account(15, 'held', 1, 0)).rejects.toThrow('ledger_accounts_balance')
    const invalid = await client.query(`select conname from pg_constraint
      where conrelid = 'ledger_accounts'::regclass and not convalidated`)
    expect(invalid.rows).toEqual([])
  } finally {
    await close()
  }
})
