import {
  IconAdjustments,
  IconArrowsDiff,
  IconArrowsSplit2,
  IconArrowUpRight,
  IconBasket,
  IconBolt,
  IconBook2,
  IconBuildingBank,
  IconCalendarCheck,
  IconCash,
  IconCoins,
  IconCreditCard,
  IconDiscount,
  IconFileInvoice,
  IconFlask,
  IconGavel,
  IconHash,
  IconHome,
  IconKey,
  IconListDetails,
  IconMail,
  IconNotebook,
  IconPackage,
  IconPlugConnected,
  IconQuestionMark,
  IconReceiptRefund,
  IconShieldCheck,
  IconShoppingCart,
  IconTruckDelivery,
  IconUsers,
  IconUsersGroup,
  IconWallet,
  IconWebhook,
  IconWorldWww,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { useMode } from '../api/history.ts'
import { usePermission } from '../api/permissions.ts'
import type { ScreenAddress } from './navigation.ts'

export interface Screen {
  path: ScreenAddress
  label: string
  icon: ComponentType<{ size?: number; stroke?: number }>
  /** The scope that the screen requires. */
  scope?: string
  /** Hidden in live mode. */
  isTestOnly?: true
  /** Additional search terms for the palette. */
  words?: string
}

const screen = (
  path: ScreenAddress,
  label: string,
  icon: Screen['icon'],
  scope?: string,
  words?: string,
): Screen => ({ path, label, icon, scope, words })

/** The screens in the navigation and the palette. */
export const SCREENS: { group: string; screens: Screen[] }[] = [
  { group: '', screens: [screen('overview', 'Overview', IconHome, undefined, 'home start')] },
  {
    group: 'Sell',
    screens: [
      screen('payments', 'Payments', IconCreditCard, 'transactions:read', 'transactions charges'),
      screen('checkouts', 'Checkouts', IconShoppingCart, 'checkout:read', 'payment links carts'),
      screen('invoices', 'Invoices', IconFileInvoice, 'invoices:read', 'bill'),
      screen('pages', 'Payment pages', IconWorldWww, 'payment_pages:read', 'payment links'),
      screen('products', 'Products', IconPackage, 'products:read', 'catalogue stock variants'),
      screen('orders', 'Orders', IconBasket, 'orders:read'),
      screen('delivery', 'Delivery fees', IconTruckDelivery, 'products:read', 'fees shipping'),
      screen('discounts', 'Discounts', IconDiscount, 'discounts:read', 'codes coupons'),
      screen('customers', 'Customers', IconUsers, 'transactions:read', 'payers buyers'),
    ],
  },
  {
    group: 'Money',
    screens: [
      screen('wallet', 'Wallet', IconWallet, 'wallet:read', 'balance'),
      screen('transfers', 'Transfers', IconArrowUpRight, 'transfers:read', 'payouts send approve'),
      screen('refunds', 'Refunds', IconReceiptRefund, 'refunds:read'),
      screen('disputes', 'Disputes', IconGavel, 'disputes:read', 'chargebacks evidence bank'),
      screen(
        'deposits',
        'Deposits',
        IconCoins,
        'transactions:read',
        'incoming held return accept wrong amount',
      ),
    ],
  },
  {
    group: 'Sharing and ledger',
    screens: [
      screen('settlements', 'Settlements', IconCash, 'settlements:read', 'payouts'),
      screen('subaccounts', 'Subaccounts', IconBuildingBank, 'subaccounts:read', 'sellers vendors'),
      screen('splits', 'Split pages', IconArrowsSplit2, 'split_pages:read', 'shares'),
      screen(
        'utility',
        'Bills and airtime',
        IconBolt,
        'utility:read',
        'airtime electricity bills data',
      ),
      screen(
        'virtual-accounts',
        'Virtual accounts',
        IconHash,
        'transactions:read',
        'account numbers bank transfer',
      ),
      screen(
        'ledger',
        'Ledger',
        IconNotebook,
        'wallet:read',
        'books accounts debit credit entries',
      ),
      screen(
        'reconciliation',
        'Reconciliation',
        IconCalendarCheck,
        'reconciliation:read',
        'compare provider days match',
      ),
      screen(
        'differences',
        'Differences',
        IconArrowsDiff,
        'reconciliation:read',
        'missing mismatch reconciliation',
      ),
      screen(
        'unresolved',
        'Unresolved orders',
        IconQuestionMark,
        'reconciliation:read',
        'unknown outcome stuck pending',
      ),
    ],
  },
  {
    group: 'Developers',
    screens: [
      screen('webhooks', 'Webhooks', IconWebhook, 'webhooks:read', 'endpoints deliveries'),
      screen('events', 'Events', IconListDetails, 'events:read'),
      screen('requests', 'Request log', IconBook2, 'requests:read', 'log api calls curl'),
      screen('keys', 'API keys', IconKey, 'keys:read', 'api secret token'),
      screen('mailbox', 'Mailbox', IconMail, 'invoices:read', 'emails sent'),
      {
        ...screen(
          'simulator',
          'Test tools',
          IconFlask,
          'simulator:write',
          'simulator clock time deposit event sandbox',
        ),
        isTestOnly: true,
      },
    ],
  },
  {
    group: 'Settings',
    screens: [
      screen(
        'settings',
        'Business',
        IconAdjustments,
        'profile:read',
        'profile fees branding settlement origins',
      ),
      screen('team', 'Team', IconUsersGroup, 'team:read', 'people invite roles'),
      screen(
        'partners',
        'Partners',
        IconPlugConnected,
        'keys:read',
        'access grant oauth apps scopes',
      ),
      screen(
        'security',
        'Your security',
        IconShieldCheck,
        undefined,
        'password two-factor sessions passkeys',
      ),
      screen('audit', 'Audit log', IconListDetails, 'audit:read', 'log who did'),
    ],
  },
]

/** Returns a function that reports whether this role can open a screen in this mode. */
export function useIsOffered(): (screen: Screen) => boolean {
  const may = usePermission()
  const mode = useMode()
  return ({ scope, isTestOnly }) => may(scope) && !(isTestOnly && mode === 'live')
}
