// The hook must stand before the first `.tsx` is loaded, and static imports are all loaded first.
import '../loader.js'

export { assets } from './assets.ts'
export { pageHeaders } from './headers.ts'
export { messageTexts } from './texts.ts'
export type * from './views.ts'

export const { renderInvoicePage } = await import('./invoice-page.tsx')
export const { renderMailboxPage, renderMailPage } = await import('./mailbox-page.tsx')
export const { renderMessagePage } = await import('./message-page.tsx')
