import {
  IconBuildingBank,
  IconBuildingStore,
  IconPalette,
  IconReceipt2,
  IconWorldWww,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'

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
    label: 'Business',
    about: 'Who you are, and when your days begin.',
    icon: IconBuildingStore,
    isByMode: false,
  },
  {
    path: 'branding',
    label: 'Branding',
    about: 'How you look to whoever pays you: on pages, in mails and on paper.',
    icon: IconPalette,
    isByMode: false,
  },
  {
    path: 'payments',
    label: 'Payments and fees',
    about: 'What payments cost, who bears it, and which amounts are accepted.',
    icon: IconReceipt2,
    isByMode: true,
  },
  {
    path: 'payouts',
    label: 'Payouts',
    about: 'Where your money goes, and who has to agree.',
    icon: IconBuildingBank,
    isByMode: true,
  },
  {
    path: 'website',
    label: 'Your website',
    about: 'Where payers may be sent back to, and how your shop knows that we sent them.',
    icon: IconWorldWww,
    isByMode: true,
  },
] as const satisfies readonly Section[]
