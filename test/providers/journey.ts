import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { storeCredential } from '../../src/providers/credentials.ts'
import { connect, routesApply, setRoutes } from '../../src/providers/providers.fixture.ts'
import { dayOf } from '../../src/reconciliation/days.ts'
import { findings } from '../corruption/findings.ts'
import type { startServer } from '../harness.ts'
import type { FaultRule } from './doubles/faults.ts'
import type { Subject } from './rig.ts'

const API = '/api/transaction-service/external/v1'
const SERVICES = ['BANK_TRANSFER', 'USSD', 'PAYOUTS', 'ACCOUNTS'] as const
const MINUTE_MS = 60_000

/** What can happen to a payout. None of these may lose it, or pay it twice. */
const FAULTS: readonly Omit<FaultRule, 'on'>[] = [
  { kind: 'reset_after_read' },
  { kind: 'reset_after_effect' },
  { kind: 'cut_body' },
  { kind: 'status', status: 500 },
  { kind: 'status_after_effect', status: 502 },
  { kind: 'status', status: 429 },
  { kind: 'status_after_effect', status: 429 },
  { kind: 'status', status: 401 },
  { kind: 'html' },
  { kind: 'missing_field', field: 'data.status' },
]

interface Options {
  server: Awaited<ReturnType<typeof startServer>>
  /** The double must be another one than that of the conformance suite, whose money is not ours. */
  subject: Subject
  /** Lets payouts use what payments have brought. */
  makeAvailable(): void
}

/**
 * Moves money through a server that is connected with the provider, in live mode unless it is the
 * simulator. After each case, the audit finds nothing, nothing was executed twice, and our books
 * say that the provider holds what it does hold.
 */
export function describeJourney({ server, subject, makeAvailable }: Options): void {
  const { connector, double } = subject
  const { db, runJob } = server
  const { businessId, keys } = server.business
  const { get, post } = server.as(double ? keys.liveSecret : keys.testSecret)
  const paidWord = subject.words.journey[0]![0]
  let connectionId = 1

  describe(`money through ${connector.title}`, () => {
    beforeAll(async () => {
      if (!double) return
      const settings = { services: SERVICES, ussdBanks: ['058'] }
      const { provider } = connector
      connectionId = await connect(server, businessId, { provider, live: true, settings })
      await db.run`
        update provider_connections set base_url = ${double.baseUrl} where id = ${connectionId}`
      const now = server.clock.now()
      for (const [name, value] of Object.entries(subject.credentials())) {
        const credential = { connectionId, name, value, now, formerUntil: now }
        await db.transaction((tx) => storeCredential(tx, server.keyring, credential))
      }
      const routes = SERVICES.map((service) => ({ service, connectionId, live: true }))
      await setRoutes(server, businessId, routes)
      await runJob('bank-lists')
      await routesApply()
      double.notices.url = `${server.url}/providers/notices/token-${connectionId}`
    })

    afterEach(async () => {
      expect(await findings(server)).toEqual([])
      if (!double) return
      const { held_minor } = await db.one<{ held_minor: bigint }>`
        select debits_minor - credits_minor as held_minor from ledger_accounts
        where business_id = ${businessId} and live and kind = 'provider_clearing'
          and subject_id = ${connectionId}`
      expect(held_minor).toBe(double.books.balance_minor('NGN'))
    })

    async function advance(ms: number): Promise<void> {
      await subject.advance(ms)
      if (double) server.clock.advance(ms)
    }
    /** Waits for the provider's notifications, and does what they lead to. */
    async function noticed(): Promise<void> {
      await double?.notices.settled()
      await runJob(double ? 'provider-notices' : 'simulator')
    }
    /** The reference under which the newest order of a kind was sent. */
    const sentAs = async (kind: string) =>
      (
        await db.one<{ sent_reference: string }>`
          select sent_reference from provider_orders
          where business_id = ${businessId} and kind = ${kind}
          order by created_at desc, subject_id desc limit 1`
      ).sent_reference

    async function startPayment(amount: number) {
      const { status, body } = await post(`${API}/transaction-with-ussd`, {
        channel: 'USSD',
        amount,
        bankCode: '058',
      })
      expect(status).toBe(200)
      const { transactionId: id, ussdCode } = body.data
      return { id, ussdCode, sent: await sentAs('charge') }
    }
    const paymentOf = async (id: number) =>
      (await db.one<{ status: string }>`select status from transactions where id = ${id}`).status

    async function startTransfer() {
      const account = { bankCode: '058', accountNumber: '0123456785' }
      const { status, body } = await post(`${API}/transfers`, { amount: 1_000, ...account })
      expect([status, body.message]).toEqual([201, expect.anything()])
      return { reference: body.data.reference as string, sent: await sentAs('transfer') }
    }
    const transferOf = async (reference: string) =>
      (await get(`${API}/transfers/${reference}`)).body.data.status

    test('comes in, goes out and goes back, as notifications say', async () => {
      const payment = await startPayment(200_000)
      await subject.dial(payment.ussdCode, payment.sent)
      await noticed()
      expect(await paymentOf(payment.id)).toBe('Successful')

      makeAvailable()
      const { reference, sent } = await startTransfer()
      await runJob('transfer-orders')
      expect(await transferOf(reference)).toBe('Pending')
      await subject.settlePayout(sent, paidWord)
      await noticed()
      expect(await transferOf(reference)).toBe('Successful')
      expect(await subject.executed(sent)).toBe(1)

      const refund = { transactionId: payment.id, amount: 500 }
      expect((await post(`${API}/refunds`, refund)).status).toBe(201)
      await runJob('refund-orders')
      const refunded = await sentAs('refund')
      const entry = double?.books.entries.find((one) => one.reference === refunded)
      const word = Object.entries(subject.words.refund).find(([, one]) => one === 'Successful')![0]
      await subject.settleRefund(refunded, entry?.providerId ?? '', word)
      await noticed()
      const [row] = await db.many<{ status: string }>`
        select status from refunds where business_id = ${businessId}`
      expect(row!.status).toBe('Processed')
      expect(await subject.executed(refunded)).toBe(1)
    })

    test('that comes in is found although every notification was lost', async () => {
      const payment = await startPayment(3_000)
      if (double) double.notices.mode = 'drop'
      await subject.dial(payment.ussdCode, payment.sent)
      await advance(2 * MINUTE_MS)
      await runJob('charge-orders')
      expect(await paymentOf(payment.id)).toBe('Successful')
      if (double) double.notices.mode = 'send'
    })

    test.skipIf(double === null)('goes out once, whatever happens to a payout', async () => {
      makeAvailable()
      double!.notices.mode = 'drop'
      const payouts: (Awaited<ReturnType<typeof startTransfer>> & { isSettled: boolean })[] = []
      for (const rule of FAULTS) {
        payouts.push({ ...(await startTransfer()), isSettled: false })
        double!.fault({ ...rule, on: subject.requests.payOut!.on, times: 1 })
        await runJob('transfer-orders')
        await double!.clearFaults()
      }
      for (let round = 0; round < 12; round++) {
        for (const payout of payouts) {
          if (payout.isSettled || (await subject.executed(payout.sent)) === 0) continue
          await subject.settlePayout(payout.sent, paidWord)
          payout.isSettled = true
        }
        await advance(10 * MINUTE_MS)
        await runJob('transfer-orders')
      }
      double!.notices.mode = 'send'
      const { repeatIsSafe } = connector.absence.payout
      for (const [i, { reference, sent }] of payouts.entries()) {
        const times = await subject.executed(sent)
        const status = await transferOf(reference)
        // What may not have arrived is sent again only if the provider would refuse it twice.
        const mayWait = !repeatIsSafe && times === 0
        expect([FAULTS[i], times, status]).toEqual([
          ...[FAULTS[i], mayWait ? 0 : 1, mayWait ? 'Pending' : 'Successful'],
        ])
      }
    })

    test.skipIf(double === null)('agrees with the provider’s own records', async () => {
      const reconciled = async () => {
        const now = server.clock.now()
        const day = dayOf(now)
        await db.run`
          insert into reconciliation_days
            (business_id, live, connection_id, day, status, next_at)
          values (${businessId}, true, ${connectionId}, ${day}, 'Open', ${now})
          on conflict (business_id, live, connection_id, day) do update set next_at = ${now}`
        await runJob('reconciliation')
        const [found] = await db.many`
          select problem, differences, unexplained_minor
          from reconciliation_days
          join reconciliation_balances using (business_id, live, connection_id, day)
          where business_id = ${businessId} and day = ${day}`
        return found
      }
      const agreed = { problem: null, differences: 0, unexplained_minor: 0n }
      expect(await reconciled()).toEqual(agreed)
      subject.settleToBank()
      expect(await reconciled()).toEqual(agreed)
      if (!connector.reports?.settled) return
      const settled = await db.many<{ payments: number | null }>`
        select payments from provider_settlements where business_id = ${businessId}`
      expect(settled.length).toBeGreaterThan(0)
      expect(settled.every(({ payments }) => payments !== null && payments > 0)).toBe(true)
    })
  })
}
