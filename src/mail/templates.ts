// The hook must be registered before the first `.tsx` loads, and static imports load before any
// code runs.
import '../loader.js'

export type * from './templates/views.ts'

export const { renderInvoiceEmail } = await import('./templates/invoice-email.tsx')
export const { renderNoticeEmail } = await import('./templates/notice-email.tsx')
export const { renderOrderEmail } = await import('./templates/order-email.tsx')
export const { renderRefundEmail } = await import('./templates/refund-email.tsx')
export const { renderReceiptEmail } = await import('./templates/receipt-email.tsx')
