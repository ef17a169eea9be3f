const KNOWN_MS = 1_000
const KNOWN_MAX = 10_000

/** By business: from when on what was known of its keys is out of date. */
const forgotten = new Map<number, number>()

/**
 * Makes every authenticator of this process look the keys of a business up again, and the tokens of
 * its partners: for the test clock, settings and revocations, whose effect is to be there with
 * their answer.
 */
export function forgetKeysOf(businessId: number): void {
  const now = performance.now()
  forgotten.delete(businessId)
  forgotten.set(businessId, now)
  // Past a second nothing is known from before it.
  for (const [business, at] of forgotten) {
    if (now - at < KNOWN_MS + LOADING_MS_MAX) break
    forgotten.delete(business)
  }
}

/** Longest that a look-up can be under way: the statement's own time-out and some more. */
const LOADING_MS_MAX = 15_000

interface Known<Proven> {
  /** When its look-up began: what it saw is no younger. */
  since: number
  proven: Promise<Proven | undefined>
}

/** Looks each name up at most once a second, also when many requests ask at once. */
export function remembering<Proven>(businessOf: (proven: Proven) => number) {
  const known = new Map<string, Known<Proven>>()

  function begin(name: string, load: () => Promise<Proven | undefined>): Known<Proven> {
    const entry: Known<Proven> = { since: performance.now(), proven: load() }
    known.delete(name)
    known.set(name, entry)
    if (known.size > KNOWN_MAX) known.delete(known.keys().next().value as string)
    const drop = () => {
      if (known.get(name) === entry) known.delete(name)
    }
    // What is not there is not remembered: made-up keys would crowd out the real ones.
    entry.proven.then((proven) => proven ?? drop(), drop)
    return entry
  }

  return async (
    name: string,
    load: () => Promise<Proven | undefined>,
  ): Promise<Proven | undefined> => {
    const entry = known.get(name)
    if (entry && performance.now() - entry.since < KNOWN_MS) {
      const proven = await entry.proven
      const outdatedAt = (proven && forgotten.get(businessOf(proven))) ?? -1
      if (outdatedAt < entry.since) return proven
    }
    return begin(name, load).proven
  }
}
