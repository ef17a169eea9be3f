import type { SplitPage } from '../../../../sdk/src/operations.ts'
import { money } from '../../parts/values.tsx'

/** A share as the page counts: `30%`, or `₦500.00`. */
export const shareOf = ({ splitType, currency }: SplitPage, share: number): string =>
  splitType === 'fixed' ? money(share, currency) : `${share}%`
