import { BANKS, type Bank, bankOf } from './banks/banks.ts'
import { bankNicknames } from './banks/nicknames.ts'
import type { ListedBank } from './connector/types.ts'

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
