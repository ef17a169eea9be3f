import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { postJournal } from '../../ledger/ledger.ts'
import type { Minor } from '../../lib/money.ts'
import { invalid } from '../../lib/problem.ts'
import { newReference } from '../../lib/random.ts'
import { firstKey } from '../keys/service.ts'
import { type Details, faultsOf } from './faults.ts'
import { insertBusiness } from './queries.ts'

export interface NewBusiness extends Details {
  now: Date
}

/** The keys are in here once, and nowhere afterwards. */
export interface CreatedBusiness {
  businessId: number
  name: string
  reference: string
  keys: { testSecret: string; testPublic: string; liveSecret: string; livePublic: string }
}

/** What the test wallet of a new business holds. */
const OPENING_MINOR: Minor = 1_000_000_00n

/**
 * Makes a business with a secret and a public key for each mode, and money in its test wallet.
 * Throws 400 naming what is wrong with the request.
 */
export async function createBusiness(
  tx: Tx,
  ids: Ids,
  request: NewBusiness,
): Promise<CreatedBusiness> {
  const { now, email = null, phone = null, firstName = null, lastName = null } = request
  const name = request.name.trim()
  const faults = faultsOf({ ...request, name })
  if (Object.keys(faults).length > 0) throw invalid(faults)

  const businessId = await ids.next(tx)
  const reference = newReference('BUS')
  await insertBusiness(tx, {
    id: businessId,
    reference,
    name,
    email,
    phone,
    first_name: firstName,
    last_name: lastName,
    created_at: now,
  })
  const [test, live] = [
    { businessId, live: false },
    { businessId, live: true },
  ]
  const keys = {
    testSecret: await firstKey(tx, ids, test, 'secret', now),
    testPublic: await firstKey(tx, ids, test, 'public', now),
    liveSecret: await firstKey(tx, ids, live, 'secret', now),
    livePublic: await firstKey(tx, ids, live, 'public', now),
  }
  await fillTestWallet(tx, ids, businessId, now)
  return { businessId, name, reference, keys }
}

async function fillTestWallet(tx: Tx, ids: Ids, businessId: number, now: Date): Promise<void> {
  const currency = 'NGN'
  await postJournal(
    tx,
    ids,
    { businessId, live: false },
    {
      cause: { type: 'business', id: businessId },
      verb: 'fund',
      now,
      moves: [
        {
          debit: { kind: 'provider_clearing', currency },
          credit: { kind: 'wallet_available', currency },
          amount_minor: OPENING_MINOR,
          kind: 'opening',
        },
      ],
    },
  )
}
