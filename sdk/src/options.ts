import { ConfigurationError } from './errors.ts'

export type Mode = 'test' | 'live'

/** Options for a client. */
export interface TradepostOptions {
  /**
   * `sk_test_…`, `sk_live_…`, a partner's token, or a function that returns one of these and is
   * called for each attempt. Without a key, only operations that don't need one work.
   */
  key?: string | (() => string | Promise<string>) | undefined
  /** The server's URL, without `/api`: `https://pay.example.com`. */
  baseUrl: string
  /**
   * Refuses keys for the other mode. With `test`, a live key that is used by mistake can't move
   * money.
   */
  mode?: Mode | undefined
  /** The business that a partner is acting for, sent as X-Business-Id. */
  businessId?: number | string | undefined
  /**
   * The time limit for one attempt. The default is 60 s, or one hour for uploads. 0 means no limit.
   * It does not limit reading the `Response` of a file; the `signal` of a call does.
   */
  timeoutMs?: number | undefined
  /** The maximum number of retries for a call. The default is 3. */
  retriesMax?: number | undefined
  /** Replaces the runtime's own `fetch`, for example to use a proxy. */
  fetch?: typeof globalThis.fetch | undefined
  /** Headers sent with every request. */
  headers?: Record<string, string> | undefined
  /**
   * Anyone can read a secret key in a web page, and the server refuses requests from pages. The
   * constructor therefore throws in a browser, unless this is true.
   */
  dangerouslyAllowBrowser?: boolean | undefined
}

/** Throws a ConfigurationError if the options can't work, before anything is sent. */
export function checkOptions(options: TradepostOptions): void {
  const { key, baseUrl, dangerouslyAllowBrowser = false } = options
  if (isBrowser() && !dangerouslyAllowBrowser) {
    throw new ConfigurationError(
      'This is a browser, where everyone could read the key. Call Tradepost from a server.',
    )
  }
  if (typeof key === 'string') checkKey(key, options)
  baseOf(baseUrl)
}

/** Returns the base URL without its last slash. Throws if it is not a URL or has a query. */
export function baseOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new ConfigurationError(`baseUrl must be like https://pay.example.com, not ${baseUrl}.`)
  }
  return url.href.replace(/\/+$/, '')
}

/**
 * Throws if the key is not a secret key or belongs to the other mode. The error never contains the
 * key.
 */
export function checkKey(key: string, { mode }: Pick<TradepostOptions, 'mode'>): void {
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigurationError(
      'The key is empty, or contains characters that keys never contain.',
    )
  }
  if (key.startsWith('pk_')) {
    throw new ConfigurationError('This is a public key (pk_…); the API needs a secret key (sk_…).')
  }
  const own = modeOf(key)
  if (mode && own && own !== mode) {
    throw new ConfigurationError(`This is a ${own} key, but the client is for ${mode} mode.`)
  }
}

/** Returns the mode in the prefix of a key or of a partner's token. */
export function modeOf(key: string): Mode | undefined {
  return /^(?:sk|pt)_(test|live)_/.exec(key)?.[1] as Mode | undefined
}

function isBrowser(): boolean {
  const { window, document } = globalThis as { window?: unknown; document?: unknown }
  return window !== undefined && document !== undefined
}
