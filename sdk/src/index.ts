/**
 * The client for a Tradepost server, for Node 20 and newer, Deno and Bun. It uses `fetch` and Web
 * Crypto, and has no dependencies.
 */
export type { CallOptions, ResponseInfo } from './call.ts'
export { Tradepost } from './client.ts'
export * from './errors.ts'
export { type CursorMeta, List, type Page, type PageMeta } from './lists.ts'
export type * from './operations.ts'
export type { Mode, TradepostOptions } from './options.ts'
export { type RetryPolicy, withRetries } from './retry.ts'
export {
  type Envelope,
  type HeadersLike,
  signWebhook,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
} from './webhooks.ts'
