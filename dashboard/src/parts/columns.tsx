import { t } from '../texts/parts.ts'
import type { Column } from './ListPage.tsx'
import { Money, Status, When } from './values.tsx'

/* Columns that most lists have. */

/** What it is of, in its currency. */
export const AMOUNT: Column<{ amount: number; currency: string }> = {
  label: t.amount,
  align: 'right',
  cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
}

/** How it stands. */
export const STATUS: Column<{ status: string }> = {
  label: t.status,
  cell: ({ status }) => <Status of={status} />,
  onPhone: true,
}

/** When it was made. */
export const WHEN: Column<{ createdAt: string }> = {
  label: t.when,
  cell: ({ createdAt }) => <When at={createdAt} />,
  onPhone: true,
  align: 'right',
}
