import type { Invoice } from '../../../../../sdk/src/operations.ts'

/** The invoice form's values; empty fields are ''. */
export interface Values extends Record<string, unknown> {
  customerEmail: string
  customerName: string
  customerPhone: string
  /** Only used when there are no lines. Otherwise, the amount is the sum of the lines. */
  amount: number | string
  note: string
  dueDate: string
  lineItems: Line[]
  allowPartialPayment: boolean
  sendImmediately: boolean
}

export interface Line {
  /** A key that only the form uses, so that a line keeps its fields when another is removed. */
  key: string
  name: string
  quantity: number | string
  unitAmount: number | string
}

export const newLine = (): Line => ({
  key: crypto.randomUUID(),
  name: '',
  quantity: 1,
  unitAmount: '',
})

export const EMPTY: Values = {
  customerEmail: '',
  customerName: '',
  customerPhone: '',
  amount: '',
  note: '',
  dueDate: '',
  lineItems: [],
  allowPartialPayment: false,
  sendImmediately: true,
}

export const valuesOf = (invoice: Invoice): Values => ({
  customerEmail: invoice.customerEmail,
  customerName: invoice.customerName ?? '',
  customerPhone: invoice.customerPhone ?? '',
  amount: invoice.amount,
  note: invoice.note ?? '',
  dueDate: invoice.dueDate ?? '',
  lineItems: invoice.lineItems.map((line) => ({ ...newLine(), ...line })),
  allowPartialPayment: invoice.allowPartialPayment,
  sendImmediately: false,
})

/** Rounds to the nearest kobo, so that floating-point errors don't show. */
export const lineAmount = ({ quantity, unitAmount }: Line): number =>
  Math.round(Number(quantity) * Number(unitAmount) * 100) / 100

export const totalOf = ({ lineItems, amount }: Values): number =>
  lineItems.length === 0
    ? Number(amount) || 0
    : Math.round(lineItems.reduce((sum, line) => sum + lineAmount(line) * 100, 0)) / 100

/** Builds the input for create_invoice. */
export function toCreate(values: Values) {
  const { customerName, customerPhone, note, dueDate } = values
  return {
    customerEmail: values.customerEmail.trim(),
    amount: totalOf(values),
    allowPartialPayment: values.allowPartialPayment,
    sendImmediately: values.sendImmediately,
    ...(customerName && { customerName }),
    ...(customerPhone && { customerPhone }),
    ...(note && { note }),
    ...(dueDate && { dueDate }),
    ...(values.lineItems.length > 0 && { lineItems: linesOf(values) }),
  }
}

/**
 * Builds the input for update_invoice. For a sent invoice, this is only the note and the due date.
 */
export function toUpdate(values: Values, isDraft: boolean) {
  const { note, dueDate } = values
  const always = { note: note || null, dueDate: dueDate || null }
  if (!isDraft) return always
  return {
    ...always,
    customerEmail: values.customerEmail.trim(),
    amount: totalOf(values),
    customerName: values.customerName || null,
    customerPhone: values.customerPhone || null,
    allowPartialPayment: values.allowPartialPayment,
    lineItems: values.lineItems.length > 0 ? linesOf(values) : null,
  }
}

const linesOf = ({ lineItems }: Values) =>
  lineItems.map(({ name, quantity, unitAmount }) => ({
    name,
    quantity: Number(quantity),
    unitAmount: Number(unitAmount),
  }))
