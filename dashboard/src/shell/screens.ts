import {
  IconAdjustments,
  IconArrowsSplit2,
  IconArrowUpRight,
  IconBasket,
  IconBolt,
  IconBook2,
  IconBuildingBank,
  IconCash,
  IconCreditCard,
  IconDiscount,
  IconFileInvoice,
  IconFlask,
  IconHome,
  IconKey,
  IconListDetails,
  IconMail,
  IconNotebook,
  IconPackage,
  IconPlugConnected,
  IconReceiptRefund,
  IconShieldCheck,
  IconTruckDelivery,
  IconUsers,
  IconUsersGroup,
  IconWallet,
  IconWebhook,
  IconWorldWww,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { t } from '../texts/en.ts'

export interface Screen {
  path: string
  label: string
  icon: ComponentType<{ size?: number; stroke?: number }>
  /** Hidden from whoever lacks it: a scope of the API, or of the console. */
  scope?: string
  /** In live mode it has nothing to do. */
  isTestOnly?: true
  /** Other words under which somebody may look for it. */
  words?: string
}

/** What the navigation and the palette lead to, in groups. */
export const SCREENS: { group: string; screens: Screen[] }[] = [
  {
    group: '',
    screens: [{ path: 'overview', label: t.nav.overview, icon: IconHome, words: 'home start' }],
  },
  {
    group: t.nav.sell,
    screens: [
      {
        path: 'payments',
        label: t.nav.payments,
        icon: IconCreditCard,
        scope: 'transactions:read',
        words: 'transactions charges',
      },
      {
        path: 'invoices',
        label: t.nav.invoices,
        icon: IconFileInvoice,
        scope: 'invoices:read',
        words: 'bill',
      },
      {
        path: 'pages',
        label: t.nav.pages,
        icon: IconWorldWww,
        scope: 'payment_pages:read',
        words: 'payment links',
      },
      {
        path: 'products',
        label: t.nav.products,
        icon: IconPackage,
        scope: 'products:read',
        words: 'catalogue stock variants',
      },
      { path: 'orders', label: t.nav.orders, icon: IconBasket, scope: 'orders:read' },
      {
        path: 'delivery',
        label: t.nav.delivery,
        icon: IconTruckDelivery,
        scope: 'products:read',
        words: 'fees shipping',
      },
      {
        path: 'discounts',
        label: t.nav.discounts,
        icon: IconDiscount,
        scope: 'discounts:read',
        words: 'codes coupons',
      },
      {
        path: 'customers',
        label: t.nav.customers,
        icon: IconUsers,
        scope: 'transactions:read',
        words: 'payers buyers',
      },
    ],
  },
  {
    group: t.nav.money,
    screens: [
      {
        path: 'wallet',
        label: t.nav.wallet,
        icon: IconWallet,
        scope: 'wallet:read',
        words: 'balance',
      },
      {
        path: 'transfers',
        label: t.nav.transfers,
        icon: IconArrowUpRight,
        scope: 'transfers:read',
        words: 'payouts send approve',
      },
      { path: 'refunds', label: t.nav.refunds, icon: IconReceiptRefund, scope: 'refunds:read' },
    ],
  },
  {
    group: t.nav.books,
    screens: [
      {
        path: 'settlements',
        label: t.nav.settlements,
        icon: IconCash,
        scope: 'settlements:read',
        words: 'payouts',
      },
      {
        path: 'subaccounts',
        label: t.nav.subaccounts,
        icon: IconBuildingBank,
        scope: 'subaccounts:read',
        words: 'sellers vendors',
      },
      {
        path: 'splits',
        label: t.nav.splits,
        icon: IconArrowsSplit2,
        scope: 'split_pages:read',
        words: 'shares',
      },
      {
        path: 'utility',
        label: t.nav.utility,
        icon: IconBolt,
        scope: 'utility:read',
        words: 'airtime electricity bills data',
      },
      {
        path: 'ledger',
        label: t.nav.ledger,
        icon: IconNotebook,
        scope: 'wallet:read',
        words: 'books accounts debit credit entries',
      },
    ],
  },
  {
    group: t.nav.developers,
    screens: [
      {
        path: 'webhooks',
        label: t.nav.webhooks,
        icon: IconWebhook,
        scope: 'webhooks:read',
        words: 'endpoints deliveries',
      },
      { path: 'events', label: t.nav.events, icon: IconListDetails, scope: 'events:read' },
      {
        path: 'requests',
        label: t.nav.requests,
        icon: IconBook2,
        scope: 'requests:read',
        words: 'log api calls curl',
      },
      {
        path: 'keys',
        label: t.nav.keys,
        icon: IconKey,
        scope: 'keys:read',
        words: 'api secret token',
      },
      {
        path: 'mailbox',
        label: t.nav.mailbox,
        icon: IconMail,
        scope: 'invoices:read',
        words: 'emails sent',
      },
      {
        path: 'simulator',
        label: t.nav.simulator,
        icon: IconFlask,
        scope: 'simulator:write',
        isTestOnly: true,
        words: 'simulator clock time deposit event sandbox',
      },
    ],
  },
  {
    group: t.nav.settings,
    screens: [
      {
        path: 'settings',
        label: t.nav.business,
        icon: IconAdjustments,
        scope: 'profile:read',
        words: 'profile fees branding settlement origins',
      },
      {
        path: 'team',
        label: t.nav.team,
        icon: IconUsersGroup,
        scope: 'team:read',
        words: 'people invite roles',
      },
      {
        path: 'partners',
        label: t.nav.partners,
        icon: IconPlugConnected,
        scope: 'keys:read',
        words: 'access grant oauth apps scopes',
      },
      {
        path: 'security',
        label: t.nav.security,
        icon: IconShieldCheck,
        words: 'password two-factor sessions passkeys',
      },
      {
        path: 'audit',
        label: t.nav.audit,
        icon: IconListDetails,
        scope: 'audit:read',
        words: 'log who did',
      },
    ],
  },
]
