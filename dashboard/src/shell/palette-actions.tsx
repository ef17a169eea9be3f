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
import { t as own } from '../texts/shell.ts'
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
    label: own.takeAPayment,
    path: 'payments/new',
    scope: 'transactions:write',
    words: own.newChargeCheckoutLinkUssd,
  },
  { label: own.createAnInvoice, path: 'invoices/new', scope: 'invoices:write', words: own.newBill },
  {
    label: own.createAPaymentPage,
    path: 'pages/new',
    scope: 'payment_pages:write',
    words: own.newLink,
  },
  { label: own.createAProduct, path: 'products/new', scope: 'products:write', words: own.newAdd },
  {
    label: own.createADiscountCode,
    path: 'discounts?new=1',
    scope: 'discounts:write',
    words: own.newCoupon,
  },
  {
    label: own.sendATransfer,
    path: 'transfers/new',
    scope: 'transfers:write',
    words: own.newPayoutCreate,
  },
  {
    label: own.giveARefund,
    path: 'refunds?new=1',
    scope: 'refunds:write',
    words: own.newCreateReturn,
  },
  {
    label: own.addASubaccount,
    path: 'subaccounts?new=1',
    scope: 'subaccounts:write',
    words: own.newCreateSeller,
  },
  {
    label: own.createASplitPage,
    path: 'splits?new=1',
    scope: 'split_pages:write',
    words: own.newShare,
  },
  {
    label: own.payABillOrBuy,
    path: 'utility/new',
    scope: 'utility:write',
    words: own.newCreateElectricityData,
  },
  {
    label: own.addAWebhookEndpoint,
    path: 'webhooks?new=1',
    scope: 'webhooks:write',
    words: own.newCreate,
  },
  { label: own.createAnApiKey, path: 'keys?new=1', scope: 'keys:write', words: own.newSecret },
  {
    label: own.inviteSomebody,
    path: 'team?new=1',
    scope: 'team:write',
    words: own.newAddMemberPeople,
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
      words: own.colourSchemeNight,
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
      words: own.keysHelp,
      icon: IconKeyboard,
      go: showShortcuts,
    },
    {
      id: 'sign-out',
      label: t.shell.signOut,
      words: own.logOutLeave,
      icon: IconLogout,
      go: () => void signOut(),
    },
  ]
}
