import { describe, expect } from 'vitest'
import { shown, valueIn } from '../../../src/providers/connector/connector.fixture.ts'
import type {
  EntryKind,
  EntryPage,
  ProviderEntry,
  Range,
} from '../../../src/providers/connector/http-connector.ts'
import type { Rig } from '../rig.ts'
import { refsOf } from '../rig.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

export function describeBooks(rig: Rig): void {
  const { connector, subject, call, needs } = rig
  const double = rig.double!
  const { reports, balances, accounts } = connector

  async function all(kind: EntryKind, range: Range): Promise<ProviderEntry[]> {
    const found: ProviderEntry[] = []
    let cursor: string | null = null
    do {
      const page: EntryPage = valueIn(await reports!.entries(call(), kind, range, cursor))
      found.push(...page.entries)
      cursor = page.next
    } while (cursor !== null)
    return found
  }

  describe("the provider's entries", () => {
    needs('reports')('of a day have every movement of money, by our references', async () => {
      await subject.advance(2 * DAY_MS)
      const from = subject.now()
      const before = double.books.entries.length
      const [paid, undone] = subject.words.journey.map(([word]) => word)
      const paidCharge = await rig.paidCharge()
      const orders = [rig.payout(1_000_000n), rig.payout(), rig.payout()]
      for (const order of orders) await rig.payOut(order)
      for (const order of orders.slice(0, 2)) await subject.settlePayout(order.reference, paid!)
      await subject.settlePayout(orders[1]!.reference, undone!)
      const refunded = rig.refundOf(paidCharge)
      const { id } = refsOf(await rig.refund(refunded))
      const until = rig.later(1)

      const charges = await all('charge', { from, until })
      expect(charges).toMatchObject([
        {
          reference: paidCharge.reference,
          providerId: paidCharge.refs.id,
          status: 'Successful',
          amount_minor: 500_000n,
          currency: 'NGN',
          at: subject.now(),
          fee_minor: rig.feeOf(paidCharge.reference),
        },
      ])
      const payouts = await all('payout', { from, until })
      const byReference = orders.map((order) =>
        payouts.find(({ reference }) => reference === order.reference),
      )
      expect(byReference).toMatchObject([
        { status: 'Successful', amount_minor: 1_000_000n },
        { status: expect.stringMatching(/^(?:Failed|Reversed)$/), amount_minor: 500_000n },
        { status: 'Pending', amount_minor: 500_000n },
      ])
      expect(byReference[0]!.fee_minor).toBe(rig.feeOf(orders[0]!.reference))
      expect(await all('refund', { from, until })).toMatchObject([
        { reference: refunded.reference, providerId: id, amount_minor: 100_000n },
      ])
      // Nothing of these kinds is missing, and nothing is there that did not happen.
      const moved = double.books.entries.slice(before)
      const counted = ['charge', 'payout', 'refund'].map(
        (kind) => moved.filter((one) => one.kind === kind).length,
      )
      expect(counted).toEqual([charges.length, payouts.length, 1])
    })

    needs('reports')('are of a range, without its end', async () => {
      await subject.advance(DAY_MS)
      const from = subject.now()
      const { reference } = await rig.paidCharge()
      await subject.advance(HOUR_MS)
      const until = subject.now()
      await rig.paidCharge()
      const found = await all('charge', { from, until })
      expect(found.map((one) => one.reference)).toEqual([reference])
      expect(await all('charge', { from: new Date(0), until: new Date(1) })).toEqual([])
    })

    needs('reports')('have payments to the bank', async () => {
      await subject.advance(DAY_MS)
      const from = subject.now()
      await rig.paidCharge()
      const before = double.books.entries.length
      subject.settleToBank()
      const [entry] = double.books.entries.slice(before)
      expect(await all('settlement', { from, until: rig.later(1) })).toMatchObject([
        { status: 'Successful', amount_minor: -entry!.amount_minor, providerId: entry!.providerId },
      ])
      subject.topUp(-entry!.amount_minor)
    })

    needs('reports')('of kinds that it does not list are not supported', async () => {
      const range = { from: subject.now(), until: rig.later(1) }
      for (const kind of ['bill', 'fee', 'reversal', 'other'] as const) {
        expect(reports!.kinds).not.toContain(kind)
        expect(shown(await reports!.entries(call(), kind, range, null))).toBe('refused unsupported')
      }
    })
  })

  describe('the account', () => {
    needs('balances')('has a balance, with what is not settled yet', async () => {
      await rig.paidCharge()
      const [balance, ...others] = valueIn(await balances!.balances(call()))
      expect(others).toEqual([])
      const { currency, available_minor, pending_minor } = balance!
      expect(currency).toBe('NGN')
      expect(available_minor + (pending_minor ?? 0n)).toBe(double.books.balance_minor('NGN'))
    })

    needs('accounts')('has banks, and account holders', async () => {
      const { bank } = subject.account
      expect(valueIn(await accounts!.banks(call()))).toContainEqual(expect.objectContaining(bank))
      const resolve = (account = subject.account) => accounts!.resolveAccount(call(), account)
      expect(valueIn(await resolve()).accountName).toMatch(/\w/)
      const accountNumber = '9999000000'
      expect(shown(await resolve({ ...subject.account, accountNumber }))).toBe(
        'refused unknown_account',
      )
    })

    needs('http')('is probed without changing anything', async () => {
      const before = double.calls.length
      const report = valueIn(await connector.probe(call()))
      expect(report).toMatchObject({ environment: 'production', balances: [{ currency: 'NGN' }] })
      expect(report.checks.map(({ name }) => name)).toContain('notice_url')
      expect(double.calls.slice(before).every(({ method }) => method === 'GET')).toBe(true)
    })

    needs('http')(
      'is not probed with a key that is wrong, or of the other environment',
      async () => {
        const probe = (values: Readonly<Record<string, string>>) =>
          connector.probe(call({ values }))
        expect(shown(await probe(subject.wrongCredentials))).toBe('notNow credentials_refused')
        const before = double.calls.length
        expect(shown(await probe(subject.otherEnvironment))).toBe('notNow credentials_refused')
        expect(double.calls.length).toBe(before)
      },
    )

    needs('http')('has no credentials of the other environment', () => {
      for (const { name, faultOf } of connector.credentials) {
        expect(faultOf(subject.credentials()[name]!, 'production')).toBeUndefined()
        const other = subject.otherEnvironment[name]
        if (other === undefined) continue
        expect(faultOf(other, 'sandbox')).toBeUndefined()
        for (const wrong of [
          other,
          '',
          `${subject.credentials()[name]}\n`,
          'pk_x',
          'FLWPUBK-x-X',
        ]) {
          expect(faultOf(wrong, 'production')).toMatch(/^must be /)
        }
      }
    })
  })
}
