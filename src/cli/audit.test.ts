import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../../test/harness.ts'
import { selectHeads } from '../backup/parts.ts'
import { memberOf } from '../business/people/people.fixture.ts'
import { compareHeads, readHeads, writeHeads } from './audit.ts'
import { commandsOn, databaseUrl, expectRefused, openHome } from './cli.fixture.ts'

const server = await startServer({ jobs: false, plantsEvents: true })
const scratch = await mkdtemp(join(tmpdir(), 'tradepost-audit-'))
afterAll(() => rm(scratch, { recursive: true, force: true }))
const { clock, db } = server
const { tradepost } = commandsOn(server.name)
const INVOICES = '/api/payment-service/external/v1/invoices'
const WALLET = '/api/simulator/wallet'

const owner = await memberOf(server, 'owner')
const { businessId } = server.business

/** Adds a sealed entry to each chain. */
async function more(): Promise<void> {
  await owner.post(INVOICES, { customerEmail: 'ada@example.com', amount: 100 })
  await server.post(WALLET, { amount: 5 })
  for (const name of ['ledger-seal', 'digest-seal']) {
    while ((await server.runJob(name)) > 0);
  }
}

/** Removes the end of a chain and forges the record of where it ended. `revert` restores both. */
const cut = (rows: string, chain: string) =>
  asOwner(server.name, (client) =>
    client.query(`
      create table whole_rows as select * from ${rows};
      create table whole_chain as select * from ${chain};
      with gone as (
        delete from ${rows} where business_id = ${businessId} and seq = (
          select max(seq) from ${rows} where business_id = ${businessId})
        returning seq - 1 as seq)
      update ${chain} c set seq = s.seq, hash = s.hash
      from ${rows} s, gone
      where s.business_id = ${businessId} and s.seq = gone.seq and c.business_id = ${businessId}
        and c.seq = gone.seq + 1`),
  )

const revert = (rows: string, chain: string) =>
  asOwner(server.name, (client) =>
    client.query(`
      delete from ${rows}; insert into ${rows} select * from whole_rows;
      delete from ${chain}; insert into ${chain} select * from whole_chain;
      drop table whole_rows, whole_chain`),
  )

describe('the chain heads', () => {
  const file = join(scratch, 'elsewhere', 'heads.jsonl')
  beforeAll(more)

  test('0 writes them to a file, prints them, and says what was checked', async () => {
    const { status, stdout } = await tradepost('audit', '--heads', file)
    expect(status).toBe(0)
    expect(stdout).toContain(`Chain heads, stored in ${file}:`)
    expect(stdout).toMatch(
      new RegExp(`ledger of business ${businessId} \\(test\\): 2 [0-9a-f]{64}`),
    )
    expect(stdout).toMatch(new RegExp(`audit log of business ${businessId}: 3 [0-9a-f]{64}`))
    expect(stdout).toContain('There are no earlier chain heads to compare with.')
    expect(stdout).toMatch(
      /checks of 1 business, 2 ledger transfers, 3 events and 3 audit log entries since \d{4}-\d/,
    )
    const { at, heads } = JSON.parse(await readFile(file, 'utf8'))
    expect(Date.parse(at)).toBeGreaterThan(0)
    expect(heads.map(({ chain }: { chain: string }) => chain)).toEqual([
      'audit log',
      'digests',
      'ledger',
      // Live mode has a digest of the business's initial settings.
      'digests',
    ])
  })

  test('0 compares them with the previous ones and adds those that changed', async () => {
    await more()
    const { status, stdout } = await tradepost('audit', '--heads', file)
    expect(status).toBe(0)
    expect(stdout).toMatch(/Compared with the chain heads from the audit at 20\S+Z\./)
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(2)
    const json = JSON.parse((await tradepost('audit', '--heads', file, '--json')).stdout)
    expect(json).toMatchObject({
      findings: [],
      examined: { businesses: 1, transfers: 3 },
      heads: { file, comparedWith: expect.any(String) },
    })
    expect(json.heads.ends).toHaveLength(4)
  })

  test.each([
    ['audit_log', 'audit_chains', 'audit log'],
    ['ledger_seals', 'ledger_chains', 'ledger'],
    ['digest_seals', 'digest_chains', 'digests'],
  ])(
    'reports the cut-off end of %s, even if the chain’s record matches',
    async (rows, chain, says) => {
      await more()
      const own = join(scratch, `${rows}.jsonl`)
      await writeHeads(own, await readHeads(own), await selectHeads(db), clock.now())
      expect(await compareHeads(db, await readHeads(own))).toEqual([])
      await cut(rows, chain)
      const problem = expect.stringContaining(
        `for this entry in the ${says}; the chain has been truncated`,
      )
      const found = { check: 'heads', table: rows, businessId, live: false, problem }
      expect(await compareHeads(db, await readHeads(own))).toEqual([expect.objectContaining(found)])
      await revert(rows, chain)
    },
  )

  test('1 for an end that was cut off; the new one is not saved', async () => {
    const kept = await readFile(file, 'utf8')
    await cut('audit_log', 'audit_chains')
    const earlier = await readHeads(file)
    const gone = await selectHeads(db)
    const own = join(scratch, 'own.jsonl')
    const moved = gone.map((head) => ({ ...head, hash: head.hash.replace(/./g, '0') }))
    await writeHeads(own, earlier, moved, clock.now())
    const before = await readFile(own, 'utf8')
    const { status, stdout } = await tradepost('audit', '--heads', own)
    expect(status).toBe(1)
    expect(stdout).toContain('[heads]')
    expect([await readFile(own, 'utf8'), await readFile(file, 'utf8')]).toEqual([before, kept])
    await revert('audit_log', 'audit_chains')
  })

  test('1 for a damaged file', async () => {
    const damaged = join(scratch, 'damaged.jsonl')
    await appendFile(damaged, '{"at":')
    const ended = await tradepost('audit', '--heads', damaged)
    expectRefused(ended, 1, `line 1 of ${damaged} is damaged`)
  })
})

describe('with --since', () => {
  const heads = join(scratch, 'since.jsonl')
  const since = (...options: string[]) =>
    tradepost('audit', '--since', '--heads', heads, ...options)
  beforeAll(more)

  test('0 begins with the first entries, then continues where it ended', async () => {
    const first = await since()
    expect([first.status, first.stderr]).toEqual([0, ''])
    expect(first.stdout).toContain('Began with the first entry of each chain.')
    expect(first.stdout).toContain('are only checked without --since')
    const { tenants, at } = JSON.parse(await readFile(`${heads}.position`, 'utf8'))
    expect(tenants).toHaveLength(2)
    await more()
    const json = JSON.parse((await since('--json')).stdout)
    expect(json).toMatchObject({
      since: at,
      findings: [],
      position: `${heads}.position`,
      examined: { transfers: 1, events: 3, logEntries: 1 },
    })
    expect((await since()).stdout).toContain('Checked 0 ledger transfers, 0 events, 0 notes')
  })

  test('1 for a change since then, again and again until it is reverted', async () => {
    await more()
    const change = (by: number) =>
      asOwner(server.name, (client) =>
        client.query(
          `update ledger_transfers set amount_minor = amount_minor + $1
           where id = (select max(id) from ledger_transfers)`,
          [by],
        ),
      )
    await change(1)
    for (const _ of [1, 2]) {
      const { status, stdout } = await since()
      expect(status).toBe(1)
      expect(stdout).toMatch(/ledger_transfers \d+ of business .* no longer matches seal/)
    }
    await change(-1)
    expect((await since()).status).toBe(0)
  })

  test('1 for a damaged file', async () => {
    const damaged = join(scratch, 'cut.jsonl')
    await appendFile(`${damaged}.position`, '{"at":')
    const ended = await tradepost('audit', '--since', '--heads', damaged)
    expectRefused(ended, 1, `${damaged}.position is damaged`)
  })
})

describe('without a database', async () => {
  const home = await openHome()

  test('3 for a directory without one, and creates none', async () => {
    const dir = join(home.scratch, 'typo')
    const ended = await home.tradepost(['audit'], { DATA_DIR: dir })
    expectRefused(ended, 3, `there is no database in ${dir}`)
    expect(await readdir(home.scratch)).not.toContain('typo')
  })

  test('3 for a DATABASE_URL of a missing or empty database', async () => {
    const none = { DATABASE_URL: databaseUrl('nothing_of_that_name') }
    expectRefused(await home.tradepost(['audit'], none), 3, 'does not exist')
    const empty = { DATABASE_URL: databaseUrl('template1') }
    expectRefused(await home.tradepost(['audit'], empty), 3, 'contains no Tradepost tables')
  })
})
