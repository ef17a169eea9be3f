import type { HttpConnector } from './connector/http-connector.ts'
import type { ProviderName } from './connector/types.ts'
import { flutterwave } from './flutterwave/connector.ts'
import type { NoticeReaders } from './inbox/inbox.ts'
import { paystack } from './paystack/connector.ts'

/** The providers that a business can connect its own account with. */
export const HTTP_CONNECTORS = { paystack, flutterwave } as const satisfies Partial<
  Record<ProviderName, HttpConnector>
>

export type HttpProviderName = keyof typeof HTTP_CONNECTORS

/** Returns a provider's connector; undefined for the simulator. */
export const httpConnectorOf = (provider: ProviderName): HttpConnector | undefined =>
  provider === 'simulator' ? undefined : HTTP_CONNECTORS[provider]

/** How each provider's notifications are verified and read. */
export const NOTICE_READERS: NoticeReaders = {
  paystack: paystack.notices!,
  flutterwave: flutterwave.notices!,
}
