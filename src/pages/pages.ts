// The hook must be registered before the first `.tsx` loads, and static imports load before any
// code runs.
import '../loader.js'

export { accentInks, accentStyle, pdfAccentColor, type Scheme } from './accent.ts'
export { assets } from './assets.ts'
export { isAmong } from './format.ts'
export { pageHeaders } from './headers.ts'
export { isLanguage, type Language, messageTexts, type Texts, textsOf } from './texts.ts'
export type * from './views.ts'

export const { renderCardPage } = await import('./card-page.tsx')
export const { renderCheckoutPage, renderOrderReceipt } = await import('./checkout-page.tsx')
export const { renderInvoicePage } = await import('./invoice-page.tsx')
export const { renderMailboxPage, renderMailPage } = await import('./mailbox-page.tsx')
export const { renderMessagePage } = await import('./message-page.tsx')
export const { renderPaymentPage } = await import('./payment-page.tsx')
