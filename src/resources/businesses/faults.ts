import { isEmail } from '../../lib/email.ts'
import type { Fields } from '../../lib/problem.ts'

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
/** Control characters: a name is shown to payers, on one line. */
const UNPRINTABLE = /[\0-\x1f\x7f]/

/** What is wrong with them, by their names; empty when nothing is. */
export function faultsOf({ name, email, phone, firstName, lastName }: Details): Fields {
  const faults: Fields = {}
  if (!isText(name, 200)) faults.name = ['must have 1 to 200 characters, on one line']
  if (email !== undefined && !isEmail(email)) faults.email = ['must be an e-mail address']
  if (phone !== undefined && !PHONE.test(phone)) faults.phone = ['must be a phone number']
  for (const [field, value] of Object.entries({ firstName, lastName })) {
    if (value !== undefined && !isText(value, 100)) {
      faults[field] = ['must have 1 to 100 characters, on one line']
    }
  }
  return faults
}

const isText = (text: string, most: number) =>
  text !== '' && text.length <= most && text.isWellFormed() && !UNPRINTABLE.test(text)
