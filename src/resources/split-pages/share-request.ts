import { type Fields, invalid } from '../../lib/problem.ts'
import type { ShareRequest } from './schemas.ts'

/** What a request names in either of two ways, of which new code takes the second. */

/** The code of a subaccount. Adds a fault when it is missing, or two are given. */
export const codeOf = (
  { sub_account_id, subaccount }: Pick<ShareRequest, 'sub_account_id' | 'subaccount'>,
  faults: Fields,
  at = '',
  name: 'sub_account_id' | 'subaccount' = 'sub_account_id',
): string => oneOf({ sub_account_id, subaccount }, name, faults, at) ?? ''

/** The share. Adds a fault when it is missing, or two are given. */
export const shareOf = (
  { shere, share }: Pick<ShareRequest, 'shere' | 'share'>,
  faults: Fields,
  at = '',
  name: 'shere' | 'share' = 'shere',
): number => oneOf({ shere, share }, name, faults, at) ?? 0

/** `name` is the one that is missed when there is none. */
function oneOf<T>(
  given: Record<string, T | undefined>,
  name: string,
  faults: Fields,
  at: string,
): T | undefined {
  const [first, ...others] = Object.entries(given).filter(([, value]) => value !== undefined)
  if (!first) faults[at + name] = ['is required']
  for (const [other, value] of others) {
    if (value !== first?.[1])
      faults[at + other] = [`is not the same as ${at}${first?.[0]}; send only one of them`]
  }
  return first?.[1]
}

export const over100 = (field: string, total: number) =>
  invalid(
    {
      [field]: [
        `would bring the shares of the page to ${total}%; they can be at most 100% together`,
      ],
    },
    'shares_over_100',
  )
