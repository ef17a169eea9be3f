import type { ScreenAddress } from '../ui/navigation.ts'
/** `g` followed by a letter opens a screen. */
export const GO_SHORTCUTS: Record<string, ScreenAddress> = {
  o: 'overview',
  p: 'payments',
  i: 'invoices',
  r: 'refunds',
  t: 'transfers',
  w: 'wallet',
  c: 'customers',
  h: 'webhooks',
  e: 'events',
  l: 'requests',
  k: 'keys',
  s: 'settings',
}

/** Whether the key next to the space bar is Command. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)
