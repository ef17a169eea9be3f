import type { PaymentPage } from '../../../../../sdk/src/operations.ts'
import { withoutNull } from '../../../api/fields.ts'
import type { Input } from '../../../api/request.ts'
import { money } from '../../../ui/values.tsx'

export function priceOf({
  amountType,
  amount,
  currency,
  products,
}: Pick<PaymentPage, 'amountType' | 'amount' | 'currency' | 'products'>): string {
  if (products.length === 1) return products[0]!.name
  if (products.length > 1) return `${products.length} products`
  if (amount === null) return 'Any amount'
  return amountType === 'minimum' ? `${money(amount, currency)} or more` : money(amount, currency)
}

export const ANSWERS = {
  text: 'Text',
  number: 'Number',
  date: 'Date',
  phone: 'Phone number',
  select: 'Choice',
}

/** The format of the last part of the URL. */
export const LINK = /^[a-z0-9](?:[a-z0-9-]{1,62}[a-z0-9])$/

export interface Field {
  /** Identifies the field in the form. */
  key: string
  label: string
  /** The name under which answers are stored. While it is empty, it is derived from the label. */
  name: string
  type: keyof typeof ANSWERS
  required: boolean
  options: string[]
}

type Draft = Input<'create_payment_page'>

/** Empty fields are ''. */
export interface Values extends Record<string, unknown> {
  title: string
  description: string
  amountType: NonNullable<Draft['amountType']> | 'products'
  amount: number | string
  suggestedAmounts: string[]
  productIds: string[]
  /** `split 12`; null if payments are not shared. */
  share: string | null
  customLink: string
  image: string
  color: string
  customFields: Field[]
  collectPhone: boolean
  collectAddress: boolean
  allowDiscountCodes: boolean
  channels: NonNullable<Draft['channels']>
  feeBearer: NonNullable<Draft['feeBearer']> | ''
  maxPayments: number | string
  expiresAt: string
  redirectUrl: string
  successMessage: string
}

export const newField = (): Field => ({
  key: crypto.randomUUID(),
  label: '',
  name: '',
  type: 'text',
  required: false,
  options: [],
})

export const EMPTY: Values = {
  title: '',
  description: '',
  amountType: 'fixed',
  amount: '',
  suggestedAmounts: [],
  productIds: [],
  share: null,
  customLink: '',
  image: '',
  color: '',
  customFields: [],
  collectPhone: false,
  collectAddress: false,
  allowDiscountCodes: false,
  channels: [],
  feeBearer: '',
  maxPayments: '',
  expiresAt: '',
  redirectUrl: '',
  successMessage: '',
}

export const valuesOf = (page: PaymentPage): Values => ({
  title: page.title,
  description: page.description ?? '',
  amountType: page.products.length > 0 ? 'products' : (page.amountType as Values['amountType']),
  amount: page.amount ?? '',
  suggestedAmounts: page.suggestedAmounts.map(String),
  productIds: page.products.map(({ productId }) => productId),
  share: page.splitPageId === null ? null : `split ${page.splitPageId}`,
  customLink: page.customLink,
  image: page.image ?? '',
  color: page.color ?? '',
  customFields: page.customFields.map((field) => ({
    ...newField(),
    ...field,
    type: field.type as Field['type'],
  })),
  collectPhone: page.collectPhone,
  collectAddress: page.collectAddress,
  allowDiscountCodes: page.allowDiscountCodes,
  channels: page.channels as Values['channels'],
  feeBearer: (page.feeBearer ?? '') as Values['feeBearer'],
  maxPayments: page.maxPayments ?? '',
  expiresAt: page.expiresAt ?? '',
  redirectUrl: page.redirectUrl ?? '',
  successMessage: page.successMessage ?? '',
})

/** The input for update_payment_page, in which null clears a field. */
export function toUpdate(values: Values) {
  const { amountType, amount, suggestedAmounts, maxPayments } = values
  const isPriced = amountType === 'fixed' || amountType === 'minimum'
  return {
    title: values.title.trim(),
    description: values.description || null,
    ...(amountType !== 'products' && {
      amountType,
      amount: isPriced && amount !== '' ? amount : null,
      suggestedAmounts:
        amountType === 'fixed' || suggestedAmounts.length === 0
          ? null
          : suggestedAmounts.map(plainAmount),
    }),
    splitPageId: values.share?.replace('split ', '') ?? null,
    ...(values.customLink && { customLink: values.customLink }),
    image: values.image || null,
    color: values.color || null,
    customFields: values.customFields.map(({ label, name, type, required, options }) => ({
      label,
      name: name || nameOf(label),
      type,
      required,
      ...(type === 'select' && { options }),
    })),
    collectPhone: values.collectPhone,
    collectAddress: values.collectAddress,
    allowDiscountCodes: values.allowDiscountCodes,
    channels: values.channels,
    feeBearer: values.feeBearer || null,
    maxPayments: maxPayments === '' ? null : Number(maxPayments),
    // Sends only a newly chosen day, because a stored time may have passed.
    ...(!values.expiresAt.includes('T') && { expiresAt: values.expiresAt || null }),
    redirectUrl: values.redirectUrl || null,
    successMessage: values.successMessage || null,
  }
}

/** "15500" for "₦15,500", as people write amounts. */
export const plainAmount = (typed: string): string => typed.replace(/[₦,\s]/g, '')

/** The input for create_payment_page, without empty fields. */
export const toCreate = (values: Values, status: 'Published' | 'Unpublished') => ({
  ...withoutNull(toUpdate(values)),
  ...(values.amountType === 'products' && { productIds: values.productIds }),
  status,
})

/** Returns the name for a label: `tShirtSize` for `T-shirt size`. */
function nameOf(label: string): string {
  const words = label
    .normalize('NFD')
    .replace(/[^a-zA-Z0-9 ]+/g, ' ')
    .trim()
    .split(/\s+/)
  const name = words
    .map((word, i) => (i === 0 ? word.toLowerCase() : word[0]!.toUpperCase() + word.slice(1)))
    .join('')
  return (/^[a-z]/.test(name) ? name : `field${name}`).slice(0, 40)
}
