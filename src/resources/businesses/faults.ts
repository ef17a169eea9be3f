import { isEmail } from '../../lib/email.ts'
import type { Fields } from '../../lib/problem.ts'
import { isOneLine } from '../../lib/schemas.ts'

/** Who a business is. */
export interface Details {
  /** 1..200 characters. */
  name: string
  email?: string | undefined
  phone?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
}

const PHONE = /^\+?[0-9 ()-]{5,24}$/

/** What is wrong with them, by their names; empty when nothing is. */
export function faultsOf({ name, email, phone, firstName, lastName }: Details): Fields {
  const faults: Fields = {}
  if (!isOneLine(name, 200)) faults.name = ['must have 1 to 200 characters, on one line']
  if (email !== undefined && !isEmail(email)) faults.email = ['must be an e-mail address']
  if (phone !== undefined && !PHONE.test(phone)) faults.phone = ['must be a phone number']
  for (const [field, value] of Object.entries({ firstName, lastName })) {
    if (value !== undefined && !isOneLine(value, 100)) {
      faults[field] = ['must have 1 to 100 characters, on one line']
    }
  }
  return faults
}
