import { beforeAll, describe, expect, test } from 'vitest'
import type { HttpConnector } from '../../src/providers/connector/http-connector.ts'
import { describeBooks } from './conformance/books.ts'
import { describeCharges } from './conformance/charges.ts'
import { describeDisputes } from './conformance/disputes.ts'
import { describeFaults } from './conformance/faults.ts'
import { describeNotices } from './conformance/notices.ts'
import { describePayouts } from './conformance/payouts.ts'
import { describeRefunds } from './conformance/refunds.ts'
import { CAPABILITIES, type Capability, openRig, type Subject } from './rig.ts'

/** What every connector must do, whatever its provider. */
export function describeConnector(subject: Subject): void {
  const rig = openRig(subject)
  const { connector } = rig

  describe(connector.title, () => {
    beforeAll(() => rig.warmUp())

    test('lacks only what its connector does not have', () => {
      const missing = CAPABILITIES.filter((one) => MEMBERS[one]?.(connector) === undefined)
      const unsaid = missing.filter((one) => MEMBERS[one] && rig.has(one))
      const needless = subject.lacks.filter((one) => MEMBERS[one]?.(connector) !== undefined)
      expect({ unsaid, needless }).toEqual({ unsaid: [], needless: [] })
    })

    test('says what absence proves, and never that a refund can be repeated', () => {
      const { absence, facts } = connector
      // Only a store of our own has an order as soon as it was sent.
      if (rig.has('http')) {
        for (const { provenAfterMs } of Object.values(absence)) expect(provenAfterMs).not.toBe(0)
        expect(absence.refund.repeatIsSafe).toBe(false)
      }
      expect(new Set(facts.map(({ id }) => id)).size).toBe(facts.length)
    })

    describePayouts(rig)
    describeCharges(rig)
    describeRefunds(rig)
    describeNotices(rig)
    describeBooks(rig)
    describeDisputes(rig)
    describeFaults(rig)
  })
}

/** The member of a connector that is a capability. */
const MEMBERS: Readonly<Partial<Record<Capability, (connector: HttpConnector) => unknown>>> = {
  pages: ({ collections }) => collections?.openHostedPage,
  batches: ({ payouts }) => payouts?.payOutMany,
  withdrawal: ({ payouts }) => payouts?.cancelPayout,
  'refund retries': ({ refunds }) => refunds?.retryRefund,
  balances: ({ balances }) => balances,
  reports: ({ reports }) => reports,
  disputes: ({ disputes }) => disputes,
  notices: ({ notices }) => notices,
}
