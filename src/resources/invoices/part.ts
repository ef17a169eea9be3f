import { type Minor, parseAmount, printMinor } from '../../lib/money.ts'
import { Problem } from '../../lib/problem.ts'
import type { PartView } from '../../pages/views.ts'
import type { InvoiceRow } from './queries.ts'

/** The least part that a payer may choose: the fee of a smaller one would eat it. */
const LEAST_MINOR: Minor = 100_00n

type Payable = Pick<InvoiceRow, 'amount_minor' | 'paid_minor' | 'currency'> &
  Pick<InvoiceRow, 'allow_partial_payment'>

const dueOf = ({ amount_minor, paid_minor }: Payable): Minor => amount_minor - paid_minor

const isDivisible = (row: Payable): boolean => row.allow_partial_payment && dueOf(row) > LEAST_MINOR

/** What a payer wrote as amount; null where it is not one text, so that none can be meant. */
export type Typed = string | null | undefined

const TYPED_MAX = 40

/** The amount in the fields of a form. `amount[]` is how some write several. */
export function typedAmount(form: Record<string, unknown>): Typed {
  if (Object.keys(form).some((name) => /^amount\W/.test(name))) return null
  const { amount } = form
  if (amount === undefined) return undefined
  return typeof amount === 'string' ? amount.slice(0, TYPED_MAX) : null
}

/**
 * What is to be paid of an invoice now: what the payer chose where that is theirs to choose, else
 * all that is due. A string says why the choice cannot be taken.
 */
export function chosenPart(row: Payable, typed: Typed): Minor | PartView['fault'] {
  const due_minor = dueOf(row)
  if (typed === undefined || !isDivisible(row)) return due_minor
  if (typed === null) return 'unclear'
  const part_minor = readAmount(typed, row.currency)
  if (part_minor === undefined) return 'unreadable'
  if (part_minor > due_minor) return 'too_much'
  return part_minor < LEAST_MINOR ? 'too_little' : part_minor
}

/**
 * People write `₦2,500.50`, and with spaces; `2 500,50` in French. A comma before one or two last
 * digits is a point: leaving it out would make a hundredfold of it.
 */
export function readAmount(typed: string, currency: string): Minor | undefined {
  const bare = typed.replace(/[\s₦]|NGN/giu, '')
  const plain = /^\d+,\d{1,2}$/.test(bare) ? bare.replace(',', '.') : bare.replaceAll(',', '')
  try {
    return parseAmount(plain, currency, { zero: true })
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/**
 * The field for it: with what was typed before, if that was no use, or with what an attempt was
 * about that did not succeed.
 */
export function partView(row: Payable, typed: Typed, tried_minor?: Minor): PartView | undefined {
  if (!isDivisible(row)) return undefined
  const chosen = chosenPart(row, typed)
  return {
    leastMinor: LEAST_MINOR,
    value:
      typeof chosen === 'bigint' ? again(chosen, row, typed, tried_minor) : (typed ?? dueOf(row)),
    ...(typeof chosen === 'string' && { fault: chosen }),
  }
}

const again = (chosen: Minor, row: Payable, typed: Typed, tried_minor: Minor | undefined): Minor =>
  typed === undefined && tried_minor !== undefined && tried_minor <= dueOf(row)
    ? tried_minor
    : chosen

/** What a payer who wants another way keeps of their choice: `?amount=70000.00`, or nothing. */
export const keptPart = (row: Payable, tried_minor: Minor | undefined): string =>
  tried_minor === undefined || tried_minor >= dueOf(row) || !isDivisible(row)
    ? ''
    : `?amount=${printMinor(tried_minor, row.currency)}`
