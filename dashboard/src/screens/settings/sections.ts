import {
  IconBuildingBank,
  IconBuildingStore,
  IconPalette,
  IconReceipt2,
  IconWorldWww,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { t } from '../../texts/settings.ts'

export interface Section {
  /** The end of its address: `settings/branding`; empty for the first. */
  path: string
  label: string
  /** Below its heading. */
  about: string
  icon: ComponentType<{ size?: number; stroke?: number }>
  /** Whether test mode has settings of its own here. */
  isByMode: boolean
}

export const SECTIONS = [
  {
    path: '',
    label: t.business,
    about: t.whoYouAre,
    icon: IconBuildingStore,
    isByMode: false,
  },
  {
    path: 'branding',
    label: t.branding,
    about: t.howYouLook,
    icon: IconPalette,
    isByMode: false,
  },
  {
    path: 'payments',
    label: t.paymentsAndFees,
    about: t.whatPaymentsCost,
    icon: IconReceipt2,
    isByMode: true,
  },
  {
    path: 'payouts',
    label: t.payouts,
    about: t.whereYourMoneyGoes,
    icon: IconBuildingBank,
    isByMode: true,
  },
  {
    path: 'website',
    label: t.yourWebsite,
    about: t.wherePayersMayBeSentBack,
    icon: IconWorldWww,
    isByMode: true,
  },
] as const satisfies readonly Section[]
