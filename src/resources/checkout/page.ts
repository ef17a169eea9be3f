import type { Db } from '../../db/database.ts'
import { type Fields, invalid, notFound } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { openPage } from '../payment-pages/open.ts'
import type { CustomField, PayingPage } from '../payment-pages/service.ts'
import type { NewCheckout } from './schemas.ts'

/** What a payer answered to one of the page's own fields. */
export interface Answer {
  label: string
  name: string
  value: string
}

/** The page that something is paid on. Throws 404, or 409 for one that is not open to payers. */
export async function openPageFor(
  db: Db,
  tenant: Tenant & { now: Date },
  pageId: number | string,
): Promise<PayingPage> {
  const page = await openPage(db, tenant, toId(pageId))
  if (!page) throw notFound('payment_page')
  return page
}

/** What is bought on a page must be sold there. */
export function refuseForeignGoods(
  { product_ids }: PayingPage,
  products: NewCheckout['products'],
): void {
  const faults: Fields = {}
  for (const [i, { productId }] of (products ?? []).entries()) {
    if (!product_ids.includes(toId(productId))) {
      faults[`products.${i}.productId`] = ['is not sold on this page']
    }
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
}

/**
 * The answers to a page's own fields, in their order. What is required is required of payers: a
 * merchant's backend knows its customer, and may leave fields out.
 */
export function answersOn(
  page: Pick<PayingPage, 'custom_fields' | 'collect_phone' | 'collect_address'>,
  request: Pick<
    NewCheckout,
    'customFields' | 'customerPhone' | 'shippingAddress' | 'deliveryAddress'
  >,
  isPayer: boolean,
): Answer[] {
  const faults: Fields = {}
  const answers: Answer[] = []
  if (isPayer && page.collect_phone && !request.customerPhone) {
    faults.customerPhone = ['is required']
  }
  const { shippingAddress = request.deliveryAddress } = request
  if (isPayer && page.collect_address && !shippingAddress) {
    faults.shippingAddress = ['is required']
  }
  for (const field of page.custom_fields) {
    const given = Object.hasOwn(request.customFields ?? {}, field.name)
      ? String(request.customFields![field.name]).trim()
      : ''
    const fault = given === '' ? isPayer && field.required && 'is required' : faultIn(field, given)
    if (fault) faults[`customFields.${field.name}`] = [fault]
    else if (given !== '') answers.push({ label: field.label, name: field.name, value: given })
  }
  for (const name of Object.keys(request.customFields ?? {})) {
    if (page.custom_fields.some((field) => field.name === name)) continue
    faults[`customFields.${name}`] = ['is not a field of this page']
  }
  if (Object.keys(faults).length > 0) throw invalid(faults)
  return answers
}

const ANSWER_LENGTH_MAX = 500

function faultIn({ type, options }: CustomField, value: string): string | false {
  if (value.length > ANSWER_LENGTH_MAX) return `must be at most ${ANSWER_LENGTH_MAX} characters`
  switch (type) {
    case 'number':
      return !/^-?\d{1,15}(\.\d{1,10})?$/.test(value) && 'must be a number'
    case 'select':
      return !options.includes(value) && `must be one of ${options.join(', ')}`
    case 'date':
      return !isDay(value) && 'must be a day as YYYY-MM-DD'
    case 'phone':
      return !/^\+?[0-9 ()-]{5,24}$/.test(value) && 'must be a phone number'
    case 'text':
      return false
  }
}

function isDay(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const at = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value)
}

/** Throws 400 for two different addresses. */
export function addressOf({ shippingAddress, deliveryAddress }: NewCheckout): string | undefined {
  const isSame = shippingAddress?.trim() === deliveryAddress?.trim()
  if (shippingAddress !== undefined && deliveryAddress !== undefined && !isSame) {
    throw invalid({ deliveryAddress: ['must be the same as shippingAddress, or left out'] })
  }
  return shippingAddress ?? deliveryAddress
}
