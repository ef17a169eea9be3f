import {
  ActionIcon,
  AppShell,
  Avatar,
  Box,
  Burger,
  Button,
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
import { useDisclosure } from '@mantine/hooks'
import {
  IconLogout,
  IconMoonStars,
  IconSearch,
  IconSelector,
  IconShieldCheck,
  IconSun,
  IconTestPipe,
} from '@tabler/icons-react'
import { Link, useRouterState } from '@tanstack/react-router'
import { useMe } from '../api/hooks.ts'
import { businessId, chooseBusiness, type Mode } from '../api/session.ts'
import { t } from '../texts/en.ts'
import { AllowedScreen } from './Allowed.tsx'
import { useBackCloses } from './back.ts'
import { Connection } from './Connection.tsx'
import { isMac } from './keys.ts'
import { LiveGap } from './LiveGap.tsx'
import { useLiveData } from './live.ts'
import { Mark } from './Mark.tsx'
import { Navigation } from './Navigation.tsx'
import { Palette } from './Palette.tsx'
import { palette } from './palette-store.ts'
import { Shortcuts } from './Shortcuts.tsx'
import { useOtherWindows, useSignOut } from './sign-out.ts'
import { useGoToMode, useHref, useMode } from './where.ts'

/** Navigation, mode, search and account around the screen in view. */
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
        {t.shell.skip}
      </a>
      <AppShell.Header>
        {mode === 'test' && (
          <div className="test-band" role="status">
            <IconTestPipe size={16} aria-hidden />
            {t.shell.testBand}
          </div>
        )}
        <Group h={60} className="top-bar" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" gap="xs" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={t.shell.menu}
            />
            <Mark />
            <BusinessName />
          </Group>
          <Group wrap="nowrap" gap="xs" style={{ flexShrink: 0 }}>
            <Button
              variant="default"
              leftSection={<IconSearch size={16} stroke={1.8} />}
              rightSection={<Kbd size="xs">{isMac ? '⌘K' : 'Ctrl K'}</Kbd>}
              onClick={palette.open}
              visibleFrom="sm"
              fw={400}
            >
              {t.shell.search}
            </Button>
            <ActionIcon
              variant="default"
              size="lg"
              hiddenFrom="sm"
              onClick={palette.open}
              aria-label={t.shell.search}
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
        <Button
          variant="subtle"
          color="gray"
          px={6}
          miw={0}
          rightSection={<IconSelector size={16} stroke={1.8} />}
          aria-label={t.shell.switchBusiness}
        >
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {me.businesses.map(({ id, name: title, role }) => (
          <Menu.Item
            key={id}
            onClick={() => {
              chooseBusiness(id)
              // All of it is of another business now: nothing that was read may stay.
              location.assign(href(path.split('/')[2] ?? 'overview'))
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

/** The same screen in the other mode; a record that is not there has its list as a way back. */
function ModeSwitch({ mode, isWide = false }: { mode: Mode; isWide?: boolean }) {
  const goToMode = useGoToMode()
  return (
    <SegmentedControl
      aria-label={t.shell.mode}
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
  <span style={isOn ? { color: 'var(--on-accent)' } : undefined}>{t.shell[of]}</span>
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
          <VisuallyHidden>{t.shell.account}</VisuallyHidden>
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
          {t.nav.security}
        </Menu.Item>
        <Menu.Item
          leftSection={isDark ? <IconSun {...DRAWN} /> : <IconMoonStars {...DRAWN} />}
          onClick={toggleColorScheme}
        >
          {isDark ? t.shell.toLight : t.shell.toDark}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout {...DRAWN} />} onClick={() => void signOut()}>
          {t.shell.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
