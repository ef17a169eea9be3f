import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { noticeOf } from '../connector/api.ts'
import type { Credentials, Notice, Notices, RawNotice } from '../connector/http-connector.ts'
import { type Json, readJson } from '../connector/json.ts'
import { ourReference } from './payouts.ts'

/** The text that the business has entered at Flutterwave as its secret hash. */
export const SECRET_HASH = 'secret_hash'

export const notices: Notices = { verify, read }

/**
 * Flutterwave sends the secret hash itself, which proves nothing about the body. Newer accounts
 * sign the body too: a signature that is there must fit.
 */
function verify(
  { headers, body }: RawNotice,
  credentials: Credentials,
): ReturnType<Notices['verify']> {
  const hash = headers['verif-hash']
  const signature = headers['flutterwave-signature']
  if (!hash) return 'unsigned'
  const isGenuine = credentials
    .accepted(SECRET_HASH)
    .filter((secret) => secret !== '')
    .some(
      (secret) =>
        isSame(hash, secret) &&
        (signature === undefined || isSame(signature, signatureOf(secret, body))),
    )
  return isGenuine ? 'authentic' : 'forged'
}

const signatureOf = (secret: string, body: Buffer): string =>
  createHmac('sha256', secret).update(body).digest('base64')

/** Takes the same time for all texts. Digests have the same length, as comparing requires. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(expected))

const digestOf = (content: string) => createHash('sha256').update(content).digest()

function read({ body }: RawNotice): readonly Notice[] {
  const json = readJson(body.toString('utf8'))
  if (!json.isObject) throw new Error('The notification is not an object.')
  return [noticeOf(body, subjectOf(json))]
}

function subjectOf(json: Json): Pick<Notice, 'type'> & Partial<Notice> {
  const type = json.text('event')
  // Notifications of refunds name no event, and have other fields.
  if (type === undefined) {
    if (json.text('TransactionId') === undefined) throw new Error('The notification has no event.')
    return { type: 'refund', about: 'refund', providerId: json.text('id') ?? null }
  }
  const data = json.at('data')
  const providerId = data.text('id') ?? null
  if (type === 'charge.completed') {
    return { type, about: 'charge', providerId, reference: data.text('tx_ref') ?? null }
  }
  if (type === 'transfer.completed') {
    const reference = data.text('reference')
    const ours = reference === undefined ? null : ourReference(reference)
    return { type, about: 'payout', providerId, reference: ours }
  }
  if (type === 'singlebillpayment.status') {
    const reference = data.text('customer_reference') || null
    return { type, about: 'bill', providerId: data.text('tx_ref') ?? null, reference }
  }
  return type.startsWith('chargeback.') ? { type, about: 'dispute', providerId } : { type }
}
