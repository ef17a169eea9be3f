import type { Database, Db } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import type { Job } from '../jobs/jobs.ts'
import { matchBanks } from './bank-map.ts'
import { cachedBriefly } from './brief-cache.ts'
import type {
  Connection,
  Connector,
  ListedBank,
  Outcome,
  PayoutState,
  Providers,
} from './connector/types.ts'
import { type DailyList, dailyListJob, type ListKey, nameOf } from './daily-lists.ts'
import {
  type ProviderBankRow,
  replaceProviderBanks,
  selectConnectionsWithOldBanks,
  selectProviderBanks,
} from './queries-banks.ts'

export const BANK_LIST_JOB = 'bank-lists'

const BANK_LIST: DailyList<ListedBank, ProviderBankRow> = {
  job: BANK_LIST_JOB,
  of: 'banks',
  selectDue: selectConnectionsWithOldBanks,
  read: (provider) => provider.listBanks?.(),
  selectRows: selectProviderBanks,
  rowsOf,
  replaceRows: replaceProviderBanks,
  unmatchedIn: (rows) =>
    rows
      .filter((row) => row.is_active && row.bank_code === null)
      .map(({ code, name }) => `${code} ${name}`),
}

/** Returns the job that reads the bank list of each provider once a day. */
export const bankListJob = (deps: { providers: Providers; log: Log }): Job =>
  dailyListJob(deps, BANK_LIST)

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
export type BankMap = (key: ListKey) => Promise<ReadonlyMap<string, ProviderBankRow>>

export function openBankMap(db: Database): BankMap {
  const lists = cachedBriefly(async (key: ListKey, tx: Db | undefined) => {
    const rows = await selectProviderBanks(tx ?? db, key)
    const usable = rows.filter((row) => row.is_active && row.bank_code !== null)
    return new Map(usable.map((row) => [row.bank_code!, row]))
  })
  return ({ provider, environment, baseUrl }) =>
    lists.get(nameOf({ provider, environment, baseUrl }), { provider, environment, baseUrl })
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
  const { retryRefund, payOutMany } = connector
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
      return banks.size > 0 ? NO_BANK : NO_LIST
    },
    ...(payOutMany &&
      ({
        async payOutMany(about, orders) {
          const banks = await banksOf(connection)
          const known = orders.flatMap((order, at) => {
            const bank = banks.get(order.bankCode)
            return bank
              ? [{ at, about: about.orders[at]!, to: { ...order, bankCode: bank.code } }]
              : []
          })
          if (known.length === 0)
            return { kind: 'done', value: orders.map(() => (banks.size > 0 ? NO_BANK : NO_LIST)) }
          const sent = { ...about, orders: known.map((one) => one.about) }
          const outcome = await payOutMany(
            sent,
            known.map(({ to }) => to),
          )
          if (outcome.kind !== 'done') return outcome
          const value: Outcome<PayoutState>[] = orders.map(() => NO_BANK)
          for (const [i, { at }] of known.entries()) value[at] = outcome.value[i]!
          return { kind: 'done', value }
        },
      } satisfies Partial<Connector>)),
  }
}

const NOT_THERE = 'The provider does not have this bank.'

const NO_BANK = { kind: 'refused', code: 'unsupported', message: NOT_THERE } as const

const NO_LIST = {
  kind: 'notNow',
  code: 'feature_off',
  message: 'The list of banks is not read yet.',
} as const
