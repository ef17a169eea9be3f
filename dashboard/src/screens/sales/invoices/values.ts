import type { Invoice } from '../../../../../sdk/src/operations.ts'

/** Empty fields are ''. */
export interface Values extends Record<string, unknown> {
  customerEmail: string
  customerName: string
  customerPhone: string
  /** Only used without lines, because otherwise the amount is their sum. */
  amount: number | string
  note: string
  dueDate: string
  lineItems: Line[]
  allowPartialPayment: boolean
  sendImmediately: boolean
}

export interface Line {
  /** Identifies the line in the form, so that the line keeps its inputs when another is removed. */
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

/** Rounds to the nearest kobo, to hide floating-point errors. */
const lineAmount = ({ quantity, unitAmount }: Line): number =>
  Math.round(Number(quantity) * Number(unitAmount) * 100) / 100

export const totalOf = ({ lineItems, amount }: Values): number =>
  lineItems.length === 0
    ? Number(amount) || 0
    : Math.round(lineItems.reduce((sum, line) => sum + lineAmount(line) * 100, 0)) / 100

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

/** The input for update_invoice. For a sent invoice, only the note and the due date. */
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
