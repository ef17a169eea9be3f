import type { PaymentPage } from '../../../../../sdk/src/operations.ts'
import { money } from '../../../ui/values.tsx'

/** What a payer pays on a page, in a few words. */
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

/** What kinds of answers there are. */
export const ANSWERS: Record<string, string> = {
  text: 'Text',
  number: 'Number',
  date: 'Day',
  phone: 'Phone number',
  select: 'Choice',
}

/** What the end of an address can be. */
export const LINK = /^[a-z0-9](?:[a-z0-9-]{1,62}[a-z0-9])$/

export interface Field {
  /** Of the form alone. */
  key: string
  label: string
  /** Under which the answer is kept; made from the label while it is empty. */
  name: string
  type: string
  required: boolean
  options: string[]
}

/** What the editor of a page holds; what is empty is ''. */
export interface Values extends Record<string, unknown> {
  title: string
  description: string
  amountType: string
  amount: number | string
  suggestedAmounts: string[]
  productIds: string[]
  customLink: string
  image: string
  color: string
  customFields: Field[]
  collectPhone: boolean
  collectAddress: boolean
  allowDiscountCodes: boolean
  channels: string[]
  feeBearer: string
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
  amountType: page.products.length > 0 ? 'products' : page.amountType,
  amount: page.amount ?? '',
  suggestedAmounts: page.suggestedAmounts.map(String),
  productIds: page.products.map(({ productId }) => productId),
  customLink: page.customLink,
  image: page.image ?? '',
  color: page.color ?? '',
  customFields: page.customFields.map((field) => ({ ...newField(), ...field })),
  collectPhone: page.collectPhone,
  collectAddress: page.collectAddress,
  allowDiscountCodes: page.allowDiscountCodes,
  channels: page.channels,
  feeBearer: page.feeBearer ?? '',
  maxPayments: page.maxPayments ?? '',
  expiresAt: page.expiresAt ?? '',
  redirectUrl: page.redirectUrl ?? '',
  successMessage: page.successMessage ?? '',
})

/** What update_payment_page takes: null clears. */
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
        amountType === 'fixed' || suggestedAmounts.length === 0 ? null : suggestedAmounts,
    }),
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
    // A moment is as it was read, and may be over; only a day was chosen.
    ...(!values.expiresAt.includes('T') && { expiresAt: values.expiresAt || null }),
    redirectUrl: values.redirectUrl || null,
    successMessage: values.successMessage || null,
  }
}

/** What create_payment_page takes: what is empty is not said. */
export const toCreate = (values: Values, status: string) => ({
  ...Object.fromEntries(Object.entries(toUpdate(values)).filter(([, value]) => value !== null)),
  ...(values.amountType === 'products' && { productIds: values.productIds }),
  status,
})

/** `T-shirt size` is kept under `tShirtSize`. */
export function nameOf(label: string): string {
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
