/** `g` and then a letter leads to a screen. */
export const LETTERS: Record<string, string> = {
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
