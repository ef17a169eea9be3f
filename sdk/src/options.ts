import { ConfigurationError } from './errors.ts'

export type Mode = 'test' | 'live'

/** The options of a client. */
export interface TradepostOptions {
  /**
   * `sk_test_…`, `sk_live_…`, a partner's token, or a function that returns one, called for each
   * attempt. Without a key, only operations that need none work.
   */
  key?: string | (() => string | Promise<string>) | undefined
  /** The server's URL, without `/api`: `https://pay.example.com`. */
  baseUrl: string
  /** Refuses a key of the other mode. With `test`, a misplaced live key moves no money. */
  mode?: Mode | undefined
  /** The business for which a partner acts, sent as X-Business-Id. */
  businessId?: number | string | undefined
  /** Limits one attempt; default 60 s, uploads one hour. 0 for no limit. */
  timeoutMs?: number | undefined
  /** The maximum number of retries of a call; default 3. */
  retriesMax?: number | undefined
  /** Replaces the runtime's own, for example to use a proxy. */
  fetch?: typeof globalThis.fetch | undefined
  /** Sent with every request. */
  headers?: Record<string, string> | undefined
  /**
   * Everyone can read a secret key in a page, and the server refuses requests from one. So the
   * constructor throws if there is a window with a document, unless this is true.
   */
  dangerouslyAllowBrowser?: boolean | undefined
}

/** Throws ConfigurationError for options that cannot work, before anything is sent. */
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

/** Returns the base URL without its last slash. Throws if it is not a URL, or has a query. */
export function baseOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new ConfigurationError(`baseUrl must be like https://pay.example.com, not ${baseUrl}.`)
  }
  return url.href.replace(/\/+$/, '')
}

/** Throws if the key is not a secret key, or belongs to another mode. Never shows the key. */
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

/** The mode that the prefix of a key or partner's token names. */
export function modeOf(key: string): Mode | undefined {
  return /^(?:sk|pt)_(test|live)_/.exec(key)?.[1] as Mode | undefined
}

function isBrowser(): boolean {
  const { window, document } = globalThis as { window?: unknown; document?: unknown }
  return window !== undefined && document !== undefined
}
