// The hook must be registered before the first `.tsx` loads, and static imports load before any
// code runs.
import '../loader.js'

export type * from './templates/views.ts'

export const { invoiceLetter } = await import('./templates/invoice-letter.tsx')
export const { noticeLetter } = await import('./templates/notice-letter.tsx')
export const { orderLetter } = await import('./templates/order-letter.tsx')
export const { refundLetter } = await import('./templates/refund-letter.tsx')
export const { receiptLetter } = await import('./templates/receipt-letter.tsx')
