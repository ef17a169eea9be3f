import { createHmac, timingSafeEqual } from 'node:crypto'
import { noticeOf } from '../connector/api.ts'
import type { Credentials, Notice, Notices, RawNotice } from '../connector/http-connector.ts'
import { type Json, readJson } from '../connector/json.ts'
import { recordReferenceOf } from '../connector/references.ts'
import { SECRET_KEY } from './api.ts'

export const notices: Notices = { verify, read }

const SIGNATURE = /^[0-9a-f]{128}$/i

/** Paystack signs the bytes of the body with the secret key, so a new key changes signatures. */
function verify(
  { headers, body }: RawNotice,
  credentials: Credentials,
): ReturnType<Notices['verify']> {
  const given = headers['x-paystack-signature']
  if (!given) return 'unsigned'
  if (!SIGNATURE.test(given)) return 'forged'
  const signature = Buffer.from(given, 'hex')
  const isSigned = credentials
    .accepted(SECRET_KEY)
    .some((key) => timingSafeEqual(createHmac('sha512', key).update(body).digest(), signature))
  return isSigned ? 'authentic' : 'forged'
}

function read({ body }: RawNotice): readonly Notice[] {
  const json = readJson(body.toString('utf8'))
  const type = json.text('event')
  if (!type) throw new Error('The notification names no event.')
  return [noticeOf(body, { type, ...subjectOf(type, json.at('data')) })]
}

type Subject = Partial<Omit<Notice, 'key' | 'type'>>

function subjectOf(type: string, data: Json): Subject {
  const reference = data.text('reference') ?? null
  const providerId = data.text('id') ?? null
  if (type === 'charge.success') return paid(data, reference, providerId)
  if (type === 'bank.transfer.rejected') {
    // Paystack sends this money back by itself, so there is nothing to look up or to book.
    return { providerId: data.text('bank_transfer', 'transaction_id') ?? null }
  }
  if (type.startsWith('charge.dispute.')) {
    return {
      about: 'dispute',
      providerId,
      reference: data.text('transaction', 'reference') ?? null,
    }
  }
  if (type.startsWith('transfer.')) return { about: 'payout', reference, providerId }
  if (type.startsWith('refund.')) {
    return { about: 'refund', providerId, reference: refunded(data) }
  }
  return {}
}

/** A payment into a permanent account has a reference of Paystack's own. */
function paid(data: Json, reference: string | null, providerId: string | null): Subject {
  if (data.text('channel') !== 'dedicated_nuban') return { about: 'charge', reference, providerId }
  const accountNumber = data.text('authorization', 'receiver_bank_account_number') ?? null
  return { about: 'payment', providerId, accountNumber }
}

/** Only some of these notifications have our note; the others have the charge's reference. */
function refunded(data: Json): string | null {
  const note = data.text('merchant_note')?.trim() ?? ''
  return recordReferenceOf(note) ? note : (data.text('transaction_reference') ?? null)
}
