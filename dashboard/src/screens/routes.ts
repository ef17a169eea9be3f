/**
 * Every screen: its path below the mode, the file that is loaded when it is first opened, and the
 * component in it. A new screen is a line here, and in shell/screens.ts if the navigation leads to it.
 */
export const SCREEN_ROUTES: {
  path: string
  load: () => Promise<Record<string, React.ComponentType>>
  name: string
}[] = [
  { path: 'payments', load: () => import('./payments/Payments.tsx'), name: 'Payments' },
  { path: 'payments/$reference', load: () => import('./payments/Payment.tsx'), name: 'Payment' },
  { path: 'wallet', load: () => import('./wallet/Wallet.tsx'), name: 'Wallet' },
]
