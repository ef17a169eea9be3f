import { describe, expect, test } from 'vitest'
import { noticesTo, orderOrLookUp, providerOrderJob } from './orders.ts'
import type { Outcome } from './provider.ts'

interface State {
  status: string
}

const done = (status: string): Outcome<State> => ({ kind: 'done', value: { status } })
const refused = (code: string): Outcome<State> => ({ kind: 'refused', code, message: code })
const unknown: Outcome<State> = { kind: 'unknown' }

describe('an order', () => {
  /** What was asked of the provider, in order, and where that leaves the order. */
  async function run(wasSent: boolean, looked: Outcome<State>, sent: Outcome<State>) {
    const asked: string[] = []
    const answer = async (name: string, outcome: Outcome<State>) => {
      asked.push(name)
      return outcome
    }
    const state = await orderOrLookUp<State>({
      wasSent,
      send: () => answer('send', sent),
      lookUp: () => answer('look up', looked),
      refused: (message) => ({ status: `refused: ${message}` }),
    })
    return [asked, state?.status]
  }

  test.each([
    ['that ends at once', done('Paid'), 'Paid'],
    ['that is refused', refused('bad_account'), 'refused: bad_account'],
    ['that the provider refuses as unknown', refused('unknown_order'), 'refused: unknown_order'],
    ['without an answer', unknown, undefined],
  ])('%s was sent once, and never asked about', async (_, sent, status) => {
    expect(await run(false, unknown, sent)).toEqual([['send'], status])
  })

  test.each([
    ['has ended', done('Paid'), 'Paid'],
    ['is under way', done('Pending'), 'Pending'],
    ['cannot be told', unknown, undefined],
    ['is refused an answer', refused('forbidden'), undefined],
  ])('that was sent and %s is not sent again', async (_, looked, status) => {
    expect(await run(true, looked, done('Paid twice'))).toEqual([['look up'], status])
  })

  test.each([
    [done('Paid'), 'Paid'],
    [refused('bad_account'), 'refused: bad_account'],
    [unknown, undefined],
  ])('that the provider never heard of is sent: %j', async (sent, status) => {
    const asked = ['look up', 'send']
    expect(await run(true, refused('unknown_order'), sent)).toEqual([asked, status])
  })

  test('whose question fails is not sent again', async () => {
    let sent = 0
    const asked = orderOrLookUp<State>({
      wasSent: true,
      send: async () => done(`Sent ${++sent} times`),
      lookUp: () => Promise.reject(new Error('The line is down')),
      refused: (status) => ({ status }),
    })
    await expect(asked).rejects.toThrow('The line is down')
    expect(sent).toBe(0)
  })
})

describe('a notice', () => {
  const tenant = { businessId: 1, live: false }
  const kinds = (asked: string[], holder: string) => {
    const kind = (name: string, about: 'payout' | 'refund') => ({
      about,
      lookUp: async (_: object, reference: string) => {
        asked.push(`${name} ${reference}`)
        return name === holder
      },
    })
    return {
      refund: kind('refund', 'refund'),
      transfer: kind('transfer', 'payout'),
      settlement: kind('settlement', 'payout'),
    }
  }

  test.each([
    ['transfer', ['transfer R']],
    ['settlement', ['transfer R', 'settlement R']],
    ['nobody', ['transfer R', 'settlement R']],
  ])('goes to whose record holds the reference: %s', async (holder, expected) => {
    const asked: string[] = []
    const notice = { tenant, about: 'payout', reference: 'R' } as const
    await noticesTo(kinds(asked, holder))(notice, new Date(0))
    expect(asked).toEqual(expected)
  })
})

describe('a job', () => {
  test('takes every row in turn, and logs those that throw', async () => {
    const ran: string[] = []
    const noted: object[] = []
    const note = (fields: object) => void noted.push(fields)
    const rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((reference) => ({
      business_id: 1,
      live: false,
      reference,
    }))
    const { sweep } = providerOrderJob({
      name: 'orders',
      log: { info: note, warn: note, error: note },
      claim: async () => rows,
      async run(_, { reference }) {
        ran.push(reference)
        if ('ace'.includes(reference)) throw new Error('The line is down')
      },
    })
    expect(await sweep({} as never, new Date(0))).toBe(6)
    expect(ran).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    const fields = { sweeper: 'orders', businessId: 1, live: false, err: expect.any(Error) }
    expect(noted).toEqual(['a', 'c', 'e'].map((reference) => ({ ...fields, reference })))
  })
})
