import { Problem } from '../lib/problem.ts'

/** The fields of a body that name a record, by the error code for one that does not exist. */
const NAMED_BY: Record<string, readonly string[]> = {
  product_not_found: ['productId', 'productIds'],
  product_variant_not_found: ['variantId'],
  product_option_not_found: ['optionId'],
  option_variant_not_found: ['optionVariantId'],
  product_media_not_found: ['mediaId', 'mediaIds'],
  digital_file_not_found: ['digitalDownloadFileId'],
  delivery_fee_not_found: ['deliveryFeeId', 'location'],
  discount_not_found: ['discountId', 'code'],
  payment_page_not_found: ['pageId'],
  split_page_not_found: ['splitPageId'],
  subaccount_not_found: ['subaccountCode', 'sub_account_id', 'subaccount'],
  transaction_not_found: ['transactionId', 'transactionReference'],
  checkout_not_found: ['accessCode', 'reference'],
  partner_not_found: ['clientId'],
}

/**
 * A 404 for an id in the body, with the name of its field: in `errors`, and in the text for the
 * envelopes that have nothing else. One that names its fields already stays as it is.
 */
export function namingField(error: unknown, body: unknown): unknown {
  if (!(error instanceof Problem) || error.kind !== 'not_found') return error
  if (Object.keys(error.fields).length > 0) return error
  if (body === null || typeof body !== 'object') return error
  const field = NAMED_BY[error.code]?.find(
    (name) => Object.hasOwn(body, name) && (body as Record<string, unknown>)[name] !== undefined,
  )
  if (field === undefined) return error
  return new Problem('not_found', error.code, `${error.message.replace(/\.$/, '')}: ${field}.`, {
    fields: { [field]: ['does not exist'] },
    cause: error,
  })
}
