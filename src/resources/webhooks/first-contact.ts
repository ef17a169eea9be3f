import type { ClaimedRow } from './queries-deliver.ts'

/** What a claim is for, and whether its URL has answered 2xx before. */
export type Contact = Pick<
  ClaimedRow,
  'business_id' | 'live' | 'webhook_id' | 'url' | 'url_proved_at'
>

export interface FirstContacts {
  /**
   * Takes the turn at a URL that has never answered 2xx; undefined while somebody else has it. The
   * answer gives the turn back, to those who wait in `after`.
   */
  enter(contact: Contact): (() => void) | undefined
  /** Calls back once, in turn, when `enter` is worth another try. */
  after(contact: Contact, again: () => void): void
  /** The URL answered 2xx: from now on the endpoint goes at its own pace. */
  answered(contact: Contact): void
}

/** Endpoints whose first answer is remembered until claims show it. */
const REMEMBERED_MAX = 10_000

/**
 * Nobody proves to own the URL of an endpoint, so a URL gets one delivery at a time until its first
 * 2xx, and so do all unproven URLs that a business has at one host: otherwise fifty endpoints would
 * make one event fifty requests to a stranger.
 */
export function openFirstContacts(): FirstContacts {
  const waiting = new Map<string, (() => void)[]>()
  const proved = new Map<number, string>()

  const isProved = ({ url_proved_at, webhook_id, url }: Contact) =>
    url_proved_at !== null || proved.get(webhook_id) === url

  function leave(keys: readonly string[]): void {
    const next = keys.flatMap((key) => waiting.get(key) ?? [])
    for (const key of keys) waiting.delete(key)
    for (const again of next) again()
  }

  return {
    enter(contact) {
      if (isProved(contact)) return () => {}
      const keys = keysOf(contact)
      if (keys.some((key) => waiting.has(key))) return undefined
      for (const key of keys) waiting.set(key, [])
      return () => leave(keys)
    },
    after(contact, again) {
      const busy = keysOf(contact).find((key) => waiting.has(key))
      waiting.get(busy ?? '')?.push(again)
    },
    answered({ webhook_id, url }) {
      if (proved.size >= REMEMBERED_MAX) proved.delete(proved.keys().next().value!)
      proved.set(webhook_id, url)
    },
  }
}

function keysOf({ business_id, live, url: text }: Contact): string[] {
  const url = URL.parse(text)
  return [`url ${comparable(text)}`, `host ${business_id} ${live} ${url?.host}`]
}

/** A URL as it is compared: what it is sent to, however it is spelt. */
export function comparable(text: string): string {
  const url = URL.parse(text)
  if (!url) return text
  url.hash = ''
  return url.href
}
