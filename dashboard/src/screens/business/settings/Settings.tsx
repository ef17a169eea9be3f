import { Anchor, Badge, Group, Text, Title } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { type ComponentType, useEffect, useRef } from 'react'
import type { Profile, ProfileSettings } from '../../../../../sdk/src/operations.ts'
import { useMode } from '../../../api/history.ts'
import { useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { Failure, LoadingParts } from '../../../ui/feedback.tsx'
import { type ScreenAddress, useHref } from '../../../ui/navigation.ts'
import { NoScreen } from '../../../ui/ScreenErrors.tsx'
import { Branding } from './Branding.tsx'
import { Business } from './Business.tsx'
import { Payments } from './Payments.tsx'
import { Payouts } from './Payouts.tsx'
import { Providers } from './Providers.tsx'
import './settings.css'
import {
  IconBuildingBank,
  IconBuildingStore,
  IconPalette,
  IconPlugConnected,
  IconReceipt2,
  IconWorldWww,
} from '@tabler/icons-react'
import { Website } from './Website.tsx'

export interface SectionProps {
  about: Profile
  rules: ProfileSettings
  /** Whether the user can change the settings of this mode. */
  mayWrite: boolean
  /** Whether the user is an owner or admin, who can change the business itself. */
  mayOwn: boolean
}

const DRAWN: Record<(typeof SECTIONS)[number]['path'], ComponentType<SectionProps>> = {
  '': Business,
  branding: Branding,
  payments: Payments,
  payouts: Payouts,
  providers: Providers,
  website: Website,
}

export function Settings() {
  const section = useSection() ?? ''
  const mode = useMode()
  const sections = useSections()
  const found = sections.find(({ path }) => path === sectionOf(section))
  if (!found) return <NoScreen />
  return (
    <div className="settings">
      <Head of={found} />
      <Sections />
      {/* Edits that were started in one mode must not be applied in the other. */}
      <Body key={`${mode} ${found.path}`} of={found.path} />
    </div>
  )
}

/** Returns the section in the URL; undefined for the first one. */
const useSection = () =>
  useParams({ from: '/$mode/settings/$section', shouldThrow: false })?.section

/** The first section is available at both `settings` and `settings/business`. */
const sectionOf = (named: string): string => (named === 'business' ? '' : named)

/** Returns the sections that the user's role includes. */
function useSections(): (typeof SECTIONS)[number][] {
  const may = usePermission()
  return SECTIONS.filter((one) => !('scope' in one) || may(one.scope))
}

function Sections() {
  const href = useHref()
  const sections = useSections()
  const section = useSection()
  // The first section must appear selected at both of its URLs.
  const first: ScreenAddress = section && !sectionOf(section) ? `settings/${section}` : 'settings'
  const nav = useRef<HTMLElement>(null)
  // On a phone, not all sections fit, so this scrolls to the selected one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another section is chosen
  useEffect(() => {
    const chosen = nav.current?.querySelector('[data-status="active"]')
    chosen?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [section])
  return (
    <nav ref={nav} aria-label="Settings" className="settings-nav">
      {sections.map(({ path, label, icon: Icon }) => (
        <Anchor
          key={path}
          component={Link}
          to={href(path ? `settings/${path}` : first)}
          activeOptions={{ exact: true }}
          className="settings-link"
          underline="never"
        >
          <Icon size={18} stroke={1.7} />
          {label}
        </Anchor>
      ))}
    </nav>
  )
}

function Head({ of: { label, about, isByMode } }: { of: Section }) {
  const mode = useMode()
  return (
    <div className="heading">
      <Group gap="sm" align="center">
        <Title order={1}>{label}</Title>
        <Badge variant="light" color="gray" className="state-gray">
          {isByMode ? `${mode === 'test' ? 'Test' : 'Live'} mode` : 'Both modes'}
        </Badge>
      </Group>
      <Text c="dimmed" mt={4}>
        {about}
      </Text>
    </div>
  )
}

function Body({ of }: { of: keyof typeof DRAWN }) {
  const may = usePermission()
  const profile = useOperation('get_profile')
  const settings = useOperation('get_profile_settings')
  const about = profile.data?.data
  const rules = settings.data?.data
  const isThere = about !== undefined && rules !== undefined
  useEffect(() => {
    // The browser looks for the element that the hash names before this element has been rendered.
    if (isThere && location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [isThere])
  if (isThere) {
    const Drawn = DRAWN[of]
    const allowed = { mayWrite: may('profile:write'), mayOwn: may('business:write') }
    return <Drawn about={about} rules={rules} {...allowed} />
  }
  if (profile.isPending || settings.isPending) return <LoadingParts />
  const again = () => {
    void profile.refetch()
    void settings.refetch()
  }
  return (
    <div className="card">
      <Failure level={2} error={profile.error ?? settings.error} again={again} />
    </div>
  )
}

interface Section {
  /**
   * The last part of the section's URL: `branding` in `settings/branding`; empty for the first
   * section.
   */
  path: string
  label: string
  about: string
  icon: ComponentType<{ size?: number; stroke?: number }>
  /** Whether the settings in this section are separate for each mode. */
  isByMode: boolean
  /** The scope that the section requires. */
  scope?: string
}

const SECTIONS = [
  {
    path: '',
    label: 'Business',
    about: 'Your business details and time zone.',
    icon: IconBuildingStore,
    isByMode: false,
  },
  {
    path: 'branding',
    label: 'Branding',
    about: 'How your payment pages, emails and PDFs look.',
    icon: IconPalette,
    isByMode: false,
  },
  {
    path: 'payments',
    label: 'Payments and fees',
    about: 'Fees, who pays them, and which amounts are accepted.',
    icon: IconReceipt2,
    isByMode: true,
  },
  {
    path: 'payouts',
    label: 'Payouts',
    about: 'Where your money goes and who has to approve it.',
    icon: IconBuildingBank,
    isByMode: true,
  },
  {
    path: 'providers',
    label: 'Providers',
    about: 'Who moves your money: connections, routing rules and the stop switch.',
    icon: IconPlugConnected,
    isByMode: true,
    scope: 'providers:read',
  },
  {
    path: 'website',
    label: 'Your website',
    about: 'Where payers go after paying, and how your shop can tell that we sent them.',
    icon: IconWorldWww,
    isByMode: true,
  },
] as const satisfies readonly Section[]
