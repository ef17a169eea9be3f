import type { Database, Db } from '../db/database.ts'
import type { Log } from '../db/log.ts'
import { sql } from '../db/sql.ts'
import type { Job } from '../jobs/jobs.ts'
import { BANKS, type Bank, bankNicknames, bankOf } from './banks/banks.ts'
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
import { type ProviderBankRow, replaceProviderBanks, selectProviderBanks } from './queries-lists.ts'

export const BANK_LIST_JOB = 'bank-lists'

const BANK_LIST: DailyList<ListedBank, ProviderBankRow> = {
  job: BANK_LIST_JOB,
  of: 'banks',
  table: sql`provider_banks`,
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
type BankMap = (key: ListKey) => Promise<ReadonlyMap<string, ProviderBankRow>>

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

/** What shows that a provider's bank is one of ours, the strongest first. */
const EVIDENCE = ['nip', 'code', 'name'] as const

interface Match {
  bank: Bank
  evidence: (typeof EVIDENCE)[number]
}

/**
 * Returns our bank for each of a provider's codes. A bank that could be two of our banks, or
 * whose name and codes disagree, has none: money for it then goes through another provider, and
 * never to the wrong bank.
 */
export function matchBanks(listed: readonly ListedBank[]): ReadonlyMap<string, string> {
  const found = new Map<string, { one: ListedBank; match: Match }[]>()
  for (const one of listed) {
    const match = matchOf(one)
    if (!match) continue
    found.set(match.bank.code, [...(found.get(match.bank.code) ?? []), { one, match }])
  }
  const matches = new Map<string, string>()
  for (const [code, candidates] of found) {
    const best = bestOf(candidates)
    if (best) matches.set(best.one.code, code)
  }
  return matches
}

function matchOf({ code, name, nipCode }: ListedBank): Match | undefined {
  const byNip = nipCode ? byNipCode.get(nipCode) : undefined
  if (byNip) return { bank: byNip, evidence: 'nip' }
  // A code that only one provider uses can be the code of another bank here.
  const byCode = bankOf(code) ?? byNipCode.get(code)
  const byName = byKnownName.get(plain(name))
  const bank = byCode ?? byName
  if (!bank || !agreesOnNip(bank, nipCode)) return undefined
  if (byCode && !(byName ? byName === byCode : isSimilar(byCode, name))) return undefined
  return { bank, evidence: byCode ? 'code' : 'name' }
}

const byNipCode = new Map(BANKS.flatMap((bank) => (bank.nipCode ? [[bank.nipCode, bank]] : [])))

const agreesOnNip = ({ nipCode }: Bank, theirs: string | null): boolean =>
  !nipCode || !theirs || nipCode === theirs

/** Returns the only one, or the only one with better evidence than the others. */
function bestOf<Candidate extends { one: ListedBank; match: Match }>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  const active = candidates.filter(({ one }) => one.isActive)
  let left = active.length > 0 ? active : candidates
  for (const evidence of EVIDENCE) {
    const strong = left.filter(({ match }) => match.evidence === evidence)
    if (strong.length === 0) continue
    left = strong
    break
  }
  if (left.length === 1) return left[0]
  const sameCode = left.filter(({ one, match }) => one.code === match.bank.code)
  return sameCode.length === 1 ? sameCode[0] : undefined
}

// ------------------------------------------------------------------------------------- names

const SHORT: Readonly<Record<string, string>> = {
  mfb: 'microfinance',
  psb: 'payment service',
  int: 'international',
}

/** Words that many banks have, and that some providers leave out. */
const COMMON = new Set(
  'bank banking microfinance payment service services mortgage finance plc limited ltd nigeria ng of for the and'.split(
    ' ',
  ),
)

const wordsOf = (name: string): string[] => {
  const words =
    name
      .toLowerCase()
      .replaceAll('&', ' and ')
      .match(/[a-z0-9]+/g) ?? []
  return words.map((word) => SHORT[word] ?? word)
}

/** The legal form and the country are often left out; the kind of bank tells two banks apart. */
const LEFT_OUT = new Set(['plc', 'limited', 'ltd', 'nigeria', 'ng', 'bank', 'the'])

const plain = (name: string): string =>
  wordsOf(name)
    .filter((word) => !LEFT_OUT.has(word))
    .join(' ')

const namesOf = (bank: Bank): string[] => [bank.name, ...bankNicknames(bank.code)]

const byKnownName = uniqueNames()

/** Leaves out names that two banks have. */
function uniqueNames(): ReadonlyMap<string, Bank> {
  const all = BANKS.flatMap((bank) => namesOf(bank).map((name) => ({ name: plain(name), bank })))
  const known = new Map<string, Bank>()
  for (const { name, bank } of all) {
    if (name !== '' && all.every((other) => other.name !== name || other.bank === bank)) {
      known.set(name, bank)
    }
  }
  return known
}

/** Returns whether the names share a word that is not common to banks. */
function isSimilar(bank: Bank, name: string): boolean {
  const theirs = new Set(wordsOf(name))
  return namesOf(bank)
    .flatMap(wordsOf)
    .some((word) => !COMMON.has(word) && theirs.has(word))
}
