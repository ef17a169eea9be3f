import type { Tx } from '../../db/database.ts'
import type { Ids } from '../../db/ids.ts'
import { postJournal } from '../../ledger/ledger.ts'
import type { Minor } from '../../lib/money.ts'
import { type Fields, invalid } from '../../lib/problem.ts'
import { newReference } from '../../lib/random.ts'
import { Email } from '../../lib/schemas.ts'
import { firstKey } from '../keys/service.ts'
import { insertBusiness } from './queries.ts'

export interface NewBusiness {
  /** 1..200 characters. */
  name: string
  email?: string | undefined
  phone?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
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

const EMAIL = new RegExp((Email() as unknown as { pattern: string }).pattern)
const PHONE = /^\+?[0-9 ()-]{5,24}$/
/** Control characters: a name is shown to payers, on one line. */
const UNPRINTABLE = /[\0-\x1f\x7f]/

function faultsOf({ name, email, phone, firstName, lastName }: NewBusiness): Fields {
  const faults: Fields = {}
  if (!isText(name, 200)) faults.name = ['must have 1 to 200 characters, on one line']
  if (email !== undefined && !(email.length <= 254 && EMAIL.test(email))) {
    faults.email = ['must be an e-mail address']
  }
  if (phone !== undefined && !PHONE.test(phone)) faults.phone = ['must be a phone number']
  for (const [field, value] of Object.entries({ firstName, lastName })) {
    if (value !== undefined && !isText(value, 100)) {
      faults[field] = ['must have 1 to 100 characters, on one line']
    }
  }
  return faults
}

const isText = (text: string, most: number) =>
  text !== '' && text.length <= most && text.isWellFormed() && !UNPRINTABLE.test(text)
