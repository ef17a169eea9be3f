import type { Violation } from './journal.ts'

/* What `npm run faults` says about each promise of docs/reliability.md. */

interface Promised {
  says: string
  /** What proves it if these rounds do not. */
  elsewhere?: string
}

const PROMISES: Readonly<Record<string, Promised>> = {
  P1: { says: 'a response that was given is durable' },
  P2: { says: 'money is conserved' },
  P3: { says: 'one Idempotency-Key, one effect' },
  P4: { says: 'nobody gains from a race' },
  P5: { says: 'webhooks arrive, and only for what was committed' },
  P6: { says: 'input never breaks it', elsewhere: 'npm test -- src/http' },
  P7: { says: 'slow or many clients do not stop it', elsewhere: 'npm test -- src/http' },
  P8: { says: 'it degrades and recovers' },
  P9: { says: 'tenants are separate', elsewhere: 'npm test -- test/tenants' },
  P10: { says: 'no request goes where it must not', elsewhere: 'npm test -- src/safe-fetch' },
  P11: { says: 'it can be restored', elsewhere: 'npm test -- test/restore.test.ts' },
  P12: { says: 'tampering shows', elsewhere: 'npm test -- src/audit src/developers/events' },
  P13: { says: 'a provider gets each order once', elsewhere: 'npm test -- test/providers' },
  P14: { says: 'the books say what the provider says', elsewhere: 'npm test -- test/providers' },
  P15: { says: 'it fails over' },
  P16: { says: 'secrets are sealed, also during rekey' },
  P17: { says: 'commands never harm a running server' },
}

export interface Tally {
  /** Counts checks of a promise, and the violations that they found. */
  add(promise: string, count: number, violations?: readonly Violation[]): void
  violations(): readonly Violation[]
  /** One line for each promise. */
  lines(): string[]
}

export function openTally(): Tally {
  const counts = new Map<string, number>()
  const found: Violation[] = []
  return {
    add(promise, count, violations = []) {
      counts.set(promise, (counts.get(promise) ?? 0) + count)
      found.push(...violations)
    },
    violations: () => found,
    lines: () =>
      Object.entries(PROMISES).map(([name, { says, elsewhere }]) => {
        const count = counts.get(name) ?? 0
        const broken = found.filter(({ promise }) => promise === name).length
        const result = broken > 0 ? `BROKEN ${broken} times` : count > 0 ? 'kept' : 'not tried'
        const times = count > 0 ? `${count.toLocaleString('en-GB')} checks` : (elsewhere ?? '')
        return `${name.padEnd(4)} ${says.padEnd(50)} ${result.padEnd(16)} ${times}`
      }),
  }
}
