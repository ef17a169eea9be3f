import { expect, test } from 'vitest'
import { EVENT_CATALOGUE } from '../src/app/event-catalogue.ts'
import { createBusiness } from '../src/business/account/bootstrap.ts'
import { appendEvents, type NewEvent } from '../src/events/append.ts'
import { checkToldEvents } from './event-schema-check.ts'
import { testDatabase } from './harness.ts'

const { db, ids, keyring, clock } = await testDatabase()
const { businessId } = await db.transaction((tx) =>
  createBusiness(tx, { ids, keyring }, { name: 'Ada Ventures', now: clock.now() }),
)

/** Returns the fault found after inserting this event, which is then rolled back. */
async function faultOf(event: Partial<NewEvent>): Promise<string> {
  const one: NewEvent = {
    businessId,
    live: false,
    type: 'wallet.funded',
    objectType: 'wallet',
    objectId: await ids.next(),
    sequence: 1,
    data: EVENT_CATALOGUE.exampleOf('wallet.funded'),
    at: clock.now(),
    ...event,
  }
  const told = db.transaction(async (tx) => {
    await appendEvents(tx, ids, [one])
    await checkToldEvents(tx)
    throw new Error('none')
  })
  return told.catch((error: Error) => error.message)
}

test('events that match the catalogue are valid', async () => {
  expect(await faultOf({})).toBe('none')
  // Simulated events have their own data.
  expect(await faultOf({ objectType: 'simulated_event', data: {} })).toBe('none')
})

const { currency: _, ...withoutCurrency } = EVENT_CATALOGUE.exampleOf('wallet.funded') as {
  currency: string
}

test.each([
  ['an unknown type', { type: 'wallet.eaten' }, 'wallet.eaten is not in the catalogue'],
  ['another object', { objectType: 'invoice' }, 'wallet.funded is about a invoice'],
  ['a missing field', { data: withoutCurrency }, "must have required property 'currency'"],
  [
    'an additional field',
    { data: { ...EVENT_CATALOGUE.exampleOf('wallet.funded'), more: 1 } },
    '"additionalProperty":"more"',
  ],
  [
    'a value of a different type',
    { data: { ...EVENT_CATALOGUE.exampleOf('wallet.funded'), amount: '5' } },
    'data/amount must be number',
  ],
])('%s is found', async (_fault, event, words) => {
  expect(await faultOf(event)).toContain(words)
})
