import { useMantineColorScheme } from '@mantine/core'
import {
  IconArrowsExchange,
  IconBook,
  IconKeyboard,
  IconLogout,
  IconMoonStars,
  IconPlus,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { API_REFERENCE } from '../parts/ApiReference.tsx'
import { t as developers } from '../texts/developers.ts'
import { t } from '../texts/en.ts'
import { useMay } from './may.ts'
import { showShortcuts } from './Shortcuts.tsx'
import { useSignOut } from './sign-out.ts'
import { useGo, useGoToMode, useMode } from './where.ts'

export interface PaletteAction {
  id: string
  label: string
  icon: ComponentType<{ size?: number; stroke?: number }>
  words?: string
  go(): void
}

/** What can be made, where, by whom. Screens whose form is a dialog open it for `?new=1`. */
const MADE: { label: string; path: string; scope: string; words?: string }[] = [
  {
    label: 'Take a payment',
    path: 'payments/new',
    scope: 'transactions:write',
    words: 'new charge checkout link ussd',
  },
  { label: 'Create an invoice', path: 'invoices/new', scope: 'invoices:write', words: 'new bill' },
  {
    label: 'Create a payment page',
    path: 'pages/new',
    scope: 'payment_pages:write',
    words: 'new link',
  },
  { label: 'Create a product', path: 'products/new', scope: 'products:write', words: 'new add' },
  {
    label: 'Create a discount code',
    path: 'discounts?new=1',
    scope: 'discounts:write',
    words: 'new coupon',
  },
  {
    label: 'Send a transfer',
    path: 'transfers/new',
    scope: 'transfers:write',
    words: 'new payout create',
  },
  {
    label: 'Give a refund',
    path: 'refunds?new=1',
    scope: 'refunds:write',
    words: 'new create return',
  },
  {
    label: 'Add a subaccount',
    path: 'subaccounts?new=1',
    scope: 'subaccounts:write',
    words: 'new create seller',
  },
  {
    label: 'Create a split page',
    path: 'splits?new=1',
    scope: 'split_pages:write',
    words: 'new share',
  },
  {
    label: 'Pay a bill or buy airtime',
    path: 'utility/new',
    scope: 'utility:write',
    words: 'new create electricity data',
  },
  {
    label: 'Add a webhook endpoint',
    path: 'webhooks?new=1',
    scope: 'webhooks:write',
    words: 'new create',
  },
  { label: 'Create an API key', path: 'keys?new=1', scope: 'keys:write', words: 'new secret' },
  {
    label: 'Invite somebody',
    path: 'team?new=1',
    scope: 'team:write',
    words: 'new add member people',
  },
]

/** What the palette does, beside leading to screens and records. */
export function usePaletteActions(): PaletteAction[] {
  const may = useMay()
  const go = useGo()
  const mode = useMode()
  const goToMode = useGoToMode()
  const signOut = useSignOut()
  const { toggleColorScheme } = useMantineColorScheme()
  const other = mode === 'test' ? 'live' : 'test'
  return [
    ...MADE.filter(({ scope }) => may(scope)).map(({ label, path, words = '' }) => ({
      id: path,
      label,
      words,
      icon: IconPlus,
      go: () => go(path),
    })),
    {
      id: 'mode',
      label: t.error.switchTo(t.shell[other].toLowerCase()),
      words: 'mode',
      icon: IconArrowsExchange,
      go: () => goToMode(other),
    },
    {
      id: 'theme',
      label: t.palette.theme,
      words: 'colour scheme night',
      icon: IconMoonStars,
      go: toggleColorScheme,
    },
    {
      id: 'reference',
      label: developers.reference,
      words: developers.referenceWords,
      icon: IconBook,
      go: () => void window.open(API_REFERENCE, '_blank', 'noopener'),
    },
    {
      id: 'shortcuts',
      label: t.shell.shortcuts,
      words: 'keys help',
      icon: IconKeyboard,
      go: showShortcuts,
    },
    {
      id: 'sign-out',
      label: t.shell.signOut,
      words: 'log out leave',
      icon: IconLogout,
      go: () => void signOut(),
    },
  ]
}
