import type { Database, Db } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import type { Job } from '../jobs/jobs.ts'
import { addMs } from '../lib/clock.ts'
import { matchBanks } from './bank-map.ts'
import { cachedBriefly } from './brief-cache.ts'
import type { Connection, Connector, ListedBank, Providers } from './connector/types.ts'
import {
  type BankListKey,
  type ProviderBankRow,
  replaceProviderBanks,
  selectConnectionsWithOldBanks,
  selectProviderBanks,
} from './queries-banks.ts'

export const BANK_LIST_JOB = 'bank-lists'

const DAY_MS = 24 * 3_600_000

/** A list with fewer than this share of the banks that were active is taken for an error. */
const LEAST_SHARE = 0.5

/**
 * Returns the job that reads the bank list of each provider once a day. If a connection does not
 * answer, it asks the next one of that provider, and again after an hour.
 */
export function bankListJob(deps: { providers: Providers; log: Log }): Job {
  return {
    name: BANK_LIST_JOB,
    everyMs: 3_600_000,
    async run(db, now, only) {
      if (only !== undefined) return 0
      const done = new Set<string>()
      for (const due of await selectConnectionsWithOldBanks(db, addMs(now, -DAY_MS))) {
        const name = `${due.provider} ${due.environment}`
        if (done.has(name)) continue
        if (await refresh(db, deps, due, now)) done.add(name)
      }
      // Everything due has been tried, so the job does not run again at once.
      return 0
    },
  }
}

async function refresh(
  db: Database,
  { providers, log }: { providers: Providers; log: Log },
  { connection_id: connection, provider, environment }: BankListKey & { connection_id: number },
  now: Date,
): Promise<boolean> {
  const about = { connection, provider, environment }
  try {
    const outcome = await (await providers.holder(connection)).listBanks?.()
    if (!outcome) return false
    if (outcome.kind !== 'done') {
      log.warn({ ...about, outcome }, 'the list of banks was not read')
      return false
    }
    const before = await selectProviderBanks(db, about)
    if (!isPlausible(before, outcome.value)) {
      log.warn({ ...about, banks: outcome.value.length }, 'the list of banks is too short')
      return false
    }
    const rows = rowsOf(outcome.value)
    await replaceProviderBanks(db, about, rows, now)
    const unmatched = rows.filter((row) => row.is_active && row.bank_code === null)
    const names = unmatched.map(({ code, name }) => `${code} ${name}`)
    log.info({ ...about, banks: rows.length, unmatched: names }, 'read the list of banks')
    return true
  } catch (error) {
    log.warn({ ...about, err: error }, 'the list of banks was not read')
    return false
  }
}

function isPlausible(before: readonly ProviderBankRow[], listed: readonly ListedBank[]): boolean {
  const wasActive = before.filter((row) => row.is_active).length
  const isActive = listed.filter((bank) => bank.isActive).length
  return isActive > 0 && isActive >= wasActive * LEAST_SHARE
}

function rowsOf(listed: readonly ListedBank[]): ProviderBankRow[] {
  // A provider can list a code twice, for two kinds of account.
  const distinct = [...new Map(listed.map((bank) => [bank.code, bank])).values()]
  const ours = matchBanks(distinct)
  return distinct.map(({ code, id, name, nipCode, isActive }) => ({
    code,
    provider_bank_id: id,
    name,
    nip_code: nipCode,
    bank_code: ours.get(code) ?? null,
    is_active: isActive,
  }))
}

/** A provider's active banks by our codes. */
export type BankMap = (key: BankListKey) => Promise<ReadonlyMap<string, ProviderBankRow>>

export function openBankMap(db: Database): BankMap {
  const lists = cachedBriefly(async (key: BankListKey, tx: Db | undefined) => {
    const rows = await selectProviderBanks(tx ?? db, key)
    const usable = rows.filter((row) => row.is_active && row.bank_code !== null)
    return new Map(usable.map((row) => [row.bank_code!, row]))
  })
  return ({ provider, environment }) =>
    lists.get(`${provider} ${environment}`, { provider, environment })
}

/**
 * Returns a connector that takes our bank codes, from one that takes its provider's. It does not
 * call the provider for a bank that the provider does not have.
 */
export function withOurBanks(
  connector: Connector,
  connection: Connection,
  banksOf: BankMap,
): Connector {
  if (!connector.listBanks) return connector
  const { retryRefund } = connector
  return {
    ...connector,
    ...(retryRefund &&
      ({
        async retryRefund(about, sent, account) {
          const bank = (await banksOf(connection)).get(account.bankCode)
          if (!bank) return { kind: 'notNow', code: 'feature_off', message: NOT_THERE }
          const { code: bankCode, provider_bank_id: bankId } = bank
          return retryRefund(about, sent, { ...account, bankCode, bankId })
        },
      } satisfies Partial<Connector>)),
    async resolveAccount(bankCode, accountNumber) {
      const bank = (await banksOf(connection)).get(bankCode)
      // The account may exist, so it is not refused.
      if (!bank) return { kind: 'notNow', code: 'feature_off', message: NOT_THERE }
      return connector.resolveAccount(bank.code, accountNumber)
    },
    async payOut(about, order) {
      const banks = await banksOf(connection)
      const bank = banks.get(order.bankCode)
      if (bank) return connector.payOut(about, { ...order, bankCode: bank.code })
      return banks.size > 0
        ? { kind: 'refused', code: 'unsupported', message: NOT_THERE }
        : { kind: 'notNow', code: 'feature_off', message: 'The list of banks is not read yet.' }
    },
  }
}

const NOT_THERE = 'The provider does not have this bank.'
