import { Anchor, Badge, Group, Text, Title } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { type ComponentType, useEffect, useRef } from 'react'
import type { Profile, ProfileSettings } from '../../../../sdk/src/operations.ts'
import { type Envelope, useRead } from '../../api/hooks.ts'
import { Failure, LoadingParts } from '../../parts/states.tsx'
import { NoScreen } from '../../shell/broken.tsx'
import { useMay } from '../../shell/may.ts'
import { useHref, useMode } from '../../shell/where.ts'
import { Branding } from './Branding.tsx'
import { Business } from './Business.tsx'
import { Payments } from './Payments.tsx'
import { Payouts } from './Payouts.tsx'
import { SECTIONS, type Section } from './sections.ts'
import './settings.css'
import { t } from '../../texts/settings.ts'
import { Website } from './Website.tsx'

/** What each section is drawn from. */
export interface SectionProps {
  about: Profile
  rules: ProfileSettings
  /** Of the settings of a mode. */
  mayWrite: boolean
  /** Of what is of the business itself: its owners and admins. */
  mayOwn: boolean
}

const DRAWN: Record<(typeof SECTIONS)[number]['path'], ComponentType<SectionProps>> = {
  '': Business,
  branding: Branding,
  payments: Payments,
  payouts: Payouts,
  website: Website,
}

/** Who the business is, how it looks, and by which rules its money comes and goes. */
export function Settings() {
  const { section = '' } = useParams({ strict: false }) as { section?: string }
  const mode = useMode()
  const found = SECTIONS.find(({ path }) => path === sectionOf(section))
  if (!found) return <NoScreen />
  return (
    <div className="settings">
      <Head of={found} />
      <Sections />
      {/* What was typed in one mode is no part of the other. */}
      <Body key={`${mode} ${found.path}`} of={found.path} />
    </div>
  )
}

/** The first section is at `settings`, and at an address like its neighbours' too. */
const sectionOf = (named: string): string => (named === 'business' ? '' : named)

function Sections() {
  const href = useHref()
  const { section } = useParams({ strict: false }) as { section?: string }
  // Either address of the first shows it as the one that is open.
  const first = section && !sectionOf(section) ? `settings/${section}` : 'settings'
  const nav = useRef<HTMLElement>(null)
  // On a phone not all of them fit.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is chosen
  useEffect(() => {
    const chosen = nav.current?.querySelector('[data-status="active"]')
    chosen?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [section])
  return (
    <nav ref={nav} aria-label={t.settings} className="settings-nav">
      {SECTIONS.map(({ path, label, icon: Icon }) => (
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
          {isByMode ? `${mode === 'test' ? 'Test' : 'Live'} mode` : t.bothModes}
        </Badge>
      </Group>
      <Text c="dimmed" mt={4}>
        {about}
      </Text>
    </div>
  )
}

function Body({ of }: { of: keyof typeof DRAWN }) {
  const may = useMay()
  const profile = useRead<Envelope<Profile>>('user-service/profile')
  const settings = useRead<Envelope<ProfileSettings>>('user-service/profile/settings')
  const about = profile.data?.data
  const rules = settings.data?.data
  const isThere = about !== undefined && rules !== undefined
  useEffect(() => {
    // What an address points at comes with the data, after the browser looked for it.
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
