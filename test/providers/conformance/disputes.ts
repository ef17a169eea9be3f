import { describe, expect } from 'vitest'
import { shown, valueIn } from '../../../src/providers/connector/connector.fixture.ts'
import type { DisputeResponse } from '../../../src/providers/connector/http-connector.ts'
import type { Rig } from '../rig.ts'

const DUE_MS = 48 * 3_600_000

export function describeDisputes(rig: Rig): void {
  const { connector, subject, call, needs } = rig
  const { list, lookUpDispute, respond } = connector.disputes ?? {}
  const double = rig.double!

  async function openDispute(amount_minor = 100_050n) {
    const { reference } = await rig.paidCharge()
    return { reference, id: subject.openDispute(reference, amount_minor, DUE_MS) }
  }
  const response = (changes: Partial<DisputeResponse> = {}): DisputeResponse => ({
    accept: false,
    amount_minor: 100_050n,
    message: 'It was delivered',
    customer: null,
    file: null,
    ...changes,
  })
  const statusOf = async (id: string) => valueIn(await lookUpDispute!(call(), id)).status
  const respondTo = (id: string, changes: Partial<DisputeResponse> = {}) =>
    respond!(call(), id, response(changes))

  describe('a dispute', () => {
    needs('disputes')('has its charge, its amount and when a response is due', async () => {
      const from = subject.now()
      const { id, reference } = await openDispute()
      const state = valueIn(await lookUpDispute!(call(), id))
      expect(state).toEqual({
        status: 'AwaitingResponse',
        amount_minor: 100_050n,
        currency: 'NGN',
        chargeReference: reference,
        reason: expect.stringMatching(/\w/),
        dueAt: rig.later(DUE_MS),
      })
      const page = valueIn(await list!(call(), { from, until: rig.later(1) }, null))
      expect(page.disputes).toContainEqual({ ...state, providerId: id })
    })

    needs('disputes')('is won or lost, whether it is contested or not', async () => {
      for (const outcome of ['won', 'lost'] as const) {
        const { id } = await openDispute()
        if (outcome === 'won') expect(valueIn(await respondTo(id)).status).toBe('UnderReview')
        subject.decideDispute(id, outcome)
        expect(await statusOf(id)).toBe(outcome === 'won' ? 'Won' : 'Lost')
      }
    })

    needs('disputes')('can be contested with a file and the customer', async () => {
      const { id } = await openDispute()
      const file = {
        name: 'proof "1".pdf',
        contentType: 'application/pdf',
        bytes: Buffer.of(0, 255),
      }
      const customer = {
        email: 'ada@example.com',
        name: 'Ada Obi',
        phone: '08031234567',
        serviceDetails: 'A book',
        deliveryAddress: '1 Allen Avenue',
        deliveredOn: new Date(0),
      }
      expect(valueIn(await respondTo(id, { file, customer })).status).toBe('UnderReview')
    })

    needs('disputes')('can be accepted, once', async () => {
      const { id } = await openDispute()
      expect(valueIn(await respondTo(id, { accept: true })).status).toBe('Accepted')
      const balance = double.books.balance_minor('NGN')
      // The first response may be the reason, so the state has to be looked up.
      expect(shown(await respondTo(id, { accept: true }))).toBe('unknown inconclusive')
      expect(double.books.balance_minor('NGN')).toBe(balance)
      expect(await statusOf(id)).toBe('Accepted')
    })

    needs('disputes')('without a response is lost when it is due', async () => {
      const { id } = await openDispute()
      await subject.advance(DUE_MS)
      expect(await statusOf(id)).toBe('Lost')
    })

    needs('disputes')('that the provider does not have is not known', async () => {
      expect(shown(await lookUpDispute!(call(), '999999'))).toBe('refused unknown_order')
      expect(shown(await respondTo('999999', { accept: true }))).toBe('refused bad_request')
    })

    needs('disputes')('with a word that we do not know is still open', async () => {
      const from = subject.now()
      const { id } = await openDispute()
      double.fault({ on: 'PUT *', kind: 'unknown_status' })
      expect(valueIn(await respondTo(id)).status).toBe('UnderReview')
      const page = await list!(call(), { from, until: rig.later(1) }, null)
      expect(valueIn(page).disputes[0]).toMatchObject({ providerId: id, status: 'UnderReview' })
    })

    needs('disputes')('after a fault has been responded to, or not', async () => {
      for (const [rule, expected, status] of [
        [{ kind: 'reset_after_effect' }, 'unknown disconnected', 'UnderReview'],
        [{ kind: 'html' }, 'unknown unreadable', 'UnderReview'],
        [{ kind: 'missing_field', field: 'data.status' }, 'unknown unreadable', 'UnderReview'],
        [{ kind: 'status', status: 500 }, 'unknown server_error', 'AwaitingResponse'],
        [{ kind: 'status', status: 404 }, 'refused bad_request', 'AwaitingResponse'],
      ] as const) {
        const { id } = await openDispute()
        double.fault({ ...rule, on: 'PUT *', times: 1 })
        const outcome = shown(await respondTo(id, { file: null }))
        // Paystack's file is a PUT too, to another server than the API.
        expect([rule, outcome, await statusOf(id)]).toEqual([rule, expected, status])
      }
    })
  })
}
