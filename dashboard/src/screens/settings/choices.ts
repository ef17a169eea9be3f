import { t } from '../../texts/settings.ts'

/** One of several rules, with what it means below it. */
export interface Choice {
  value: string
  label: string
  description: string
}

export const BEARERS: readonly Choice[] = [
  {
    value: 'business',
    label: t.you,
    description: t.itIsTakenFromWhat,
  },
  {
    value: 'customer',
    label: t.thePayer,
    description: t.itIsAddedToWhat,
  },
  {
    value: 'subaccounts',
    label: t.theSubaccounts,
    description: t.whereAPaymentIsShared,
  },
]

export const POLICIES: readonly Choice[] = [
  {
    value: 'exact',
    label: t.sendItBack,
    description: t.onlyTheExactAmount,
  },
  {
    value: 'accept_over',
    label: t.takeMoreNotLess,
    description: t.whatIsTooMuch,
  },
  {
    value: 'accept_partial',
    label: t.takeLessToo,
    description: t.whatWasPaidCounts,
  },
]
