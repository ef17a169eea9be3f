import type { Asked } from './route.ts'

/** The currency of the business that a member is looking at. */
export const currencyOf = ({ signedIn, caller }: Asked): string =>
  signedIn.members.find(({ business_id }) => business_id === caller.businessId)!.currency
