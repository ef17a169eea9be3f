import { newReference } from '../lib/tokens.ts'
import type { Connector, ProviderEntry } from '../providers/connector/types.ts'

/** A simulator that disagrees with the books where a script says so, as providers sometimes do. */
export interface DisagreeingSimulator {
  /** Wraps the server's own simulator. */
  wrap(simulator: Connector): Connector
  /** Says from now on that payouts of this amount failed, although it had reported them as paid. */
  takeBack(amount_minor: bigint): void
  /** Lists a payment that no record here is about. */
  addPayment(amount_minor: bigint, at: Date): void
}

const TAKEN_BACK = 'Returned: the account was closed'

export function openDisagreeing(): DisagreeingSimulator {
  const takenBack = new Set<bigint>()
  const added: ProviderEntry[] = []
  const seen = (entry: ProviderEntry): ProviderEntry =>
    entry.kind === 'payout' && takenBack.has(entry.amount_minor)
      ? { ...entry, status: 'Failed' }
      : entry
  return {
    wrap: ({ reports, ...simulator }) => ({
      ...simulator,
      async lookUpPayout(about, sent) {
        const outcome = await simulator.lookUpPayout(about, sent)
        if (outcome.kind !== 'done') return outcome
        const { value } = outcome
        if (!takenBack.has(value.amount_minor ?? 0n)) return outcome
        return { ...outcome, value: { ...value, status: 'Failed', message: TAKEN_BACK } }
      },
      ...(reports && {
        reports: {
          ...reports,
          async entries(asker, kind, range, cursor) {
            const outcome = await reports.entries(asker, kind, range, cursor)
            if (outcome.kind !== 'done') return outcome
            const { entries, next } = outcome.value
            const more = added.filter(
              (one) =>
                next === null && one.kind === kind && one.at >= range.from && one.at < range.until,
            )
            return { ...outcome, value: { entries: [...entries.map(seen), ...more], next } }
          },
        },
      }),
    }),
    takeBack: (amount_minor) => void takenBack.add(amount_minor),
    addPayment(amount_minor, at) {
      added.push({
        kind: 'charge',
        providerId: newReference('SIM'),
        reference: null,
        status: 'Successful',
        amount_minor,
        fee_minor: 0n,
        currency: 'NGN',
        at,
        settlementId: null,
      })
    },
  }
}
