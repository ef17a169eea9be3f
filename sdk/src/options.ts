import { ConfigurationError } from './errors.ts'

export type Mode = 'test' | 'live'

/** How a client is made. */
export interface TradepostOptions {
  /**
   * `sk_test_…` or `sk_live_…`, or a partner's token; or a function that gives it, asked at each
   * attempt. Without one, only what needs none can be called.
   */
  key?: string | (() => string | Promise<string>) | undefined
  /** Where the server is, without `/api`: `https://pay.example.com`. */
  baseUrl: string
  /** Refuses a key of the other mode: `test`, and a live key in the wrong place moves no money. */
  mode?: Mode | undefined
  /** The business a partner acts for, sent as X-Business-Id. */
  businessId?: number | string | undefined
  /** The longest that an attempt may take; 60 s, uploads an hour. 0 is for ever. */
  timeoutMs?: number | undefined
  /** How often a call is tried again at most; 3. */
  retriesMax?: number | undefined
  /** Instead of the runtime's own, such as one through a proxy. */
  fetch?: typeof globalThis.fetch | undefined
  /** Sent with every request. */
  headers?: Record<string, string> | undefined
  /**
   * A secret key in a page is everybody's key, and the server refuses what comes from one; so a client
   * is not made where there is a window with a document. True makes it all the same.
   */
  dangerouslyAllowBrowser?: boolean | undefined
}

/** Throws ConfigurationError for options that cannot work, before anything is sent. */
export function checkOptions(options: TradepostOptions): void {
  const { key, baseUrl, dangerouslyAllowBrowser = false } = options
  if (isBrowser() && !dangerouslyAllowBrowser) {
    throw new ConfigurationError(
      'This is a browser, where everybody could read the key: call Tradepost from a server.',
    )
  }
  if (typeof key === 'string') checkKey(key, options)
  baseOf(baseUrl)
}

/** The base address without its last slash. Throws when it is none, or has more than a path. */
export function baseOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new ConfigurationError(`baseUrl must be like https://pay.example.com, not ${baseUrl}.`)
  }
  return url.href.replace(/\/+$/, '')
}

/** Throws for what is no secret key, or one of another mode. Never repeats the key itself. */
export function checkKey(key: string, { mode }: Pick<TradepostOptions, 'mode'>): void {
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigurationError('The key is empty, or has characters that no key has.')
  }
  if (key.startsWith('pk_')) {
    throw new ConfigurationError('This is a public key (pk_…); the API takes a secret one (sk_…).')
  }
  const own = modeOf(key)
  if (mode && own && own !== mode) {
    throw new ConfigurationError(`This is a ${own} key, and the client is for ${mode} mode.`)
  }
}

/** What the prefix of a key or of a partner's token says. */
export function modeOf(key: string): Mode | undefined {
  return /^(?:sk|pt)_(test|live)_/.exec(key)?.[1] as Mode | undefined
}

function isBrowser(): boolean {
  const { window, document } = globalThis as { window?: unknown; document?: unknown }
  return window !== undefined && document !== undefined
}
