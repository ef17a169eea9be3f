import {
  ActionIcon,
  Alert,
  AppShell,
  Avatar,
  Box,
  Burger,
  Group,
  Kbd,
  Menu,
  ScrollArea,
  SegmentedControl,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure, useNetwork } from '@mantine/hooks'
import {
  IconCloudOff,
  IconLogout,
  IconMoonStars,
  IconPlugConnectedX,
  IconSearch,
  IconSelector,
  IconShieldCheck,
  IconSun,
  IconTestPipe,
} from '@tabler/icons-react'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { ApiError } from '../api/call.ts'
import { useMode } from '../api/history.ts'
import { useMe } from '../api/hooks.ts'
import { usePermission } from '../api/permissions.ts'
import { businessId, chooseBusiness, type Mode } from '../api/session.ts'
import { useOtherWindows, useSignOut } from '../api/sign-out.ts'
import { ActionButton } from '../ui/buttons.tsx'
import { useBackCloses } from '../ui/close-on-back.ts'
import { Failure } from '../ui/feedback.tsx'
import { Logo } from '../ui/Logo.tsx'
import { ScreenLink } from '../ui/links.tsx'
import { screenAt, useGoToMode, useHref } from '../ui/navigation.ts'
import { SCREENS } from '../ui/screens.ts'
import { isMac } from './go-shortcuts.ts'
import { useLiveData } from './live.ts'
import { Navigation } from './Navigation.tsx'
import { Palette, palette } from './Palette.tsx'
import { Pauses } from './Pauses.tsx'
import { Shortcuts } from './Shortcuts.tsx'

export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const mode = useMode()
  const { isLost } = useLiveData()
  useBackCloses({ isOpen, close })
  useOtherWindows()
  return (
    <AppShell
      header={{ height: mode === 'test' ? 92 : 60 }}
      navbar={{ width: 248, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a className="skip" href="#content">
        Skip to content
      </a>
      <AppShell.Header>
        {mode === 'test' && (
          <div className="test-band" role="status">
            <IconTestPipe size={16} aria-hidden />
            Test mode: no real money moves here.
          </div>
        )}
        <Group h={60} className="top-bar" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" gap="xs" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label="Open the menu"
            />
            <Logo />
            <BusinessName />
          </Group>
          <Group wrap="nowrap" gap="xs" style={{ flexShrink: 0 }}>
            <ActionButton
              label="Search or jump to…"
              leftSection={<IconSearch size={16} stroke={1.8} />}
              rightSection={<Kbd size="xs">{isMac ? '⌘K' : 'Ctrl K'}</Kbd>}
              onClick={palette.open}
              visibleFrom="sm"
              fw={400}
            />
            <ActionIcon
              variant="default"
              size="lg"
              hiddenFrom="sm"
              onClick={palette.open}
              aria-label="Search or jump to…"
            >
              <IconSearch size={18} stroke={1.8} />
            </ActionIcon>
            <Box visibleFrom="sm">
              <ModeSwitch mode={mode} />
            </Box>
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Main">
        <AppShell.Section hiddenFrom="sm" p="md" pb={0}>
          <ModeSwitch mode={mode} isWide />
        </AppShell.Section>
        <AppShell.Section grow component={ScrollArea} p="sm">
          <Navigation onLeave={close} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Pauses />
        <LiveGap />
        <AllowedScreen />
      </AppShell.Main>
      <Palette />
      <Shortcuts />
      <Connection isLost={isLost} />
    </AppShell>
  )
}

function BusinessName() {
  const { data: me } = useMe()
  const href = useHref()
  const path = useRouterState({ select: ({ location: at }) => at.pathname })
  const chosen = me?.businesses.find(({ id }) => String(id) === businessId())
  const name = (
    <Text fw={650} truncate maw={260}>
      {chosen?.name ?? 'Tradepost'}
    </Text>
  )
  if (!me || me.businesses.length < 2) return name
  return (
    <Menu position="bottom-start" returnFocus>
      <Menu.Target>
        <ActionButton
          label={name}
          variant="subtle"
          color="gray"
          px={6}
          miw={0}
          rightSection={<IconSelector size={16} stroke={1.8} />}
          aria-label="Switch business"
        />
      </Menu.Target>
      <Menu.Dropdown>
        {me.businesses.map(({ id, name: title, role }) => (
          <Menu.Item
            key={id}
            onClick={() => {
              chooseBusiness(id)
              // All data depends on the business, so the page is reloaded to drop what is cached.
              location.assign(href(screenAt(path.split('/')[2] ?? 'overview')))
            }}
          >
            {title}
            <Text size="xs" c="dimmed">
              {role}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/**
 * Switches to the same screen in the other mode or, from a record, to the list that contains it.
 */
function ModeSwitch({ mode, isWide = false }: { mode: Mode; isWide?: boolean }) {
  const goToMode = useGoToMode()
  return (
    <SegmentedControl
      aria-label="Mode"
      size={isWide ? 'sm' : 'xs'}
      fullWidth={isWide}
      value={mode}
      color={mode === 'test' ? 'var(--test)' : 'var(--accent)'}
      data={[
        { value: 'test', label: <ModeName of="test" isOn={mode === 'test'} /> },
        { value: 'live', label: <ModeName of="live" isOn={mode === 'live'} /> },
      ]}
      onChange={(wanted) => goToMode(wanted as Mode)}
    />
  )
}

const ModeName = ({ of, isOn }: { of: Mode; isOn: boolean }) => (
  <span style={isOn ? { color: 'var(--on-accent)' } : undefined}>
    {of === 'test' ? 'Test' : 'Live'}
  </span>
)

const DRAWN = { size: 16, stroke: 1.7 }

function Account() {
  const { data: me } = useMe()
  const { toggleColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme() === 'dark'
  const href = useHref()
  const signOut = useSignOut()
  return (
    <Menu position="bottom-end" width={240} returnFocus>
      <Menu.Target>
        <ActionIcon variant="subtle" size="lg" radius="xl">
          <VisuallyHidden>Your account</VisuallyHidden>
          <Avatar className="initials" size={32} name={me?.person.name} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Box px="sm" py="xs">
          <Text component="div" size="sm" fw={600} truncate>
            {me?.person.name}
          </Text>
          <Text component="div" size="xs" c="dimmed" truncate>
            {me?.person.email}
          </Text>
        </Box>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconShieldCheck {...DRAWN} />}
          component={Link}
          to={href('security')}
        >
          Your security
        </Menu.Item>
        <Menu.Item
          leftSection={isDark ? <IconSun {...DRAWN} /> : <IconMoonStars {...DRAWN} />}
          onClick={toggleColorScheme}
        >
          {isDark ? 'Switch to light theme' : 'Switch to dark theme'}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout {...DRAWN} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/**
 * Warns that the data may be outdated. The warning is at the bottom, so that nothing moves when it
 * appears. Its region is always in the page, because screen readers don't announce a region that
 * appears together with its text.
 */
function Connection({ isLost }: { isLost: boolean }) {
  const { online: isOnline } = useNetwork()
  return (
    <div className="connection" role="status">
      {(isLost || !isOnline) && (
        <div className="connection-lost">
          <IconCloudOff size={18} aria-hidden />
          <Text size="sm">
            {isOnline
              ? 'The server cannot be reached. This page may be out of date. Trying again…'
              : 'You are offline. This page may be out of date, and you cannot save changes.'}
          </Text>
        </div>
      )}
    </div>
  )
}

/** On every live screen, warns about what no provider does for this business. */
function LiveGap() {
  const { data: me } = useMe()
  const may = usePermission()
  if (useMode() !== 'live' || !me || me.liveMissing.length === 0) return null
  const cannotBePaid = me.liveMissing.includes('payments')
  const cannotPay = me.liveMissing.includes('payouts')
  return (
    <Alert
      color="yellow"
      icon={<IconPlugConnectedX />}
      title={cannotBePaid ? 'Payers cannot pay online yet' : 'You cannot send money yet'}
      mb="lg"
    >
      {cannotBePaid && (
        <Text size="sm">
          No payment provider takes payments for this business. Until one does, invoices include
          your payment instructions, and you mark each invoice as paid yourself. Payment pages tell
          payers that they cannot pay yet.
        </Text>
      )}
      {cannotPay && (
        <Text size="sm">
          {cannotBePaid
            ? 'You cannot send transfers or pay out either.'
            : 'No payment provider sends transfers for this business, so you cannot pay anyone out.'}
        </Text>
      )}
      <Group gap="md" mt={4}>
        {may('providers:read') && (
          <ScreenLink to="settings/providers" size="sm" inherit={false}>
            {may('providers:write') ? 'Connect a provider' : 'See providers'}
          </ScreenLink>
        )}
        {cannotBePaid && may('profile:write') && (
          <ScreenLink to="settings/payments#manual-payment" size="sm" inherit={false}>
            Edit payment instructions
          </ScreenLink>
        )}
      </Group>
    </Alert>
  )
}

/**
 * If the user's role does not include the current screen, shows a notice instead of a list or form
 * that the server would refuse.
 */
function AllowedScreen() {
  const may = usePermission()
  const needed = useRouterState({ select: ({ location }) => scopeOf(location.pathname) })
  if (may(needed)) return <Outlet />
  return <Failure level={1} error={new ApiError('', { status: 403, code: 'forbidden' })} />
}

/**
 * Returns the scope that a screen needs: read for the screens in the navigation, and write for
 * their forms.
 */
function scopeOf(path: string): string | undefined {
  const [, , screen, ...below] = path.split('/')
  const scope = SCREENS.flatMap(({ screens }) => screens).find(
    ({ path: of }) => of === screen,
  )?.scope
  const isForm = below[0] === 'new' || below[1] === 'edit'
  return isForm ? scope?.replace(':read', ':write') : scope
}
