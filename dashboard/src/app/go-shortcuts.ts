import type { ScreenAddress } from '../ui/navigation.ts'
/** The screens that `g` followed by a letter opens. */
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

/** Whether shortcuts use Command instead of Ctrl. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)
