import { Badge, NavLink, UnstyledButton } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect, useId, useState } from 'react'
import { useWaiting } from '../api/waiting.ts'
import { type ScreenAddress, useHref } from '../ui/navigation.ts'
import { SCREENS, type Screen, useIsOffered } from '../ui/screens.ts'

/**
 * Most people use only the first half of the thirty screens every day, so these groups start out
 * collapsed.
 */
const FOLDED: readonly string[] = ['Sharing and ledger', 'Developers', 'Settings']

/** Whether each group is expanded, if the user has changed this. Stored in the browser. */
type Choices = Record<string, boolean>

/**
 * Lists the screens that the user can open, in collapsible groups. Scrolls to the current screen.
 */
export function Navigation({ onLeave }: { onLeave(): void }) {
  const isOffered = useIsOffered()
  const isIn = useIsIn()
  const [choices, choose] = useLocalStorage<Choices>({
    key: 'tradepost.folds',
    defaultValue: {},
    getInitialValueInEffect: false,
  })
  const inView = SCREENS.find(({ screens }) => screens.some(({ path }) => isIn(path)))?.group
  const [entered, enter] = useState<readonly (string | undefined)[]>([inView])
  // The group of a screen stays expanded when the user leaves the screen, so that nothing moves
  // under the pointer.
  useEffect(() => {
    enter((before) => (before.includes(inView) ? before : [...before, inView]))
  }, [inView])
  return SCREENS.map(({ group, screens }) => {
    const shown = screens.filter(isOffered)
    if (shown.length === 0) return null
    const isOpen = choices[group] ?? (!FOLDED.includes(group) || entered.includes(group))
    return (
      <NavGroup
        key={group}
        name={group}
        screens={shown}
        isOpen={isOpen}
        toggle={() => choose({ ...choices, [group]: !isOpen })}
        onLeave={onLeave}
      />
    )
  })
}

function NavGroup({
  name,
  screens,
  isOpen,
  toggle,
  onLeave,
}: {
  /** Empty for the first group, which can't be collapsed. */
  name: string
  screens: Screen[]
  isOpen: boolean
  toggle(): void
  onLeave(): void
}) {
  const href = useHref()
  const isIn = useIsIn()
  const id = useId()
  const waiting = useWaiting()
  // A collapsed group still shows where something waits.
  const shown = isOpen
    ? screens
    : screens.filter(({ path }) => isIn(path) || (waiting[path]?.[0] ?? 0) > 0)
  return (
    <section aria-label={name || 'Start'}>
      {name && (
        <UnstyledButton
          className="nav-group"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={toggle}
        >
          {name}
          <IconChevronDown size={14} stroke={2} aria-hidden />
        </UnstyledButton>
      )}
      <div id={id}>
        {shown.map(({ path, label, icon: Icon }) => (
          <NavLink
            key={path}
            className="nav-link"
            component={Link}
            to={href(path)}
            label={label}
            leftSection={<Icon size={18} stroke={1.6} />}
            rightSection={<Waiting at={path} />}
            active={isIn(path)}
            aria-current={isIn(path) ? 'page' : undefined}
            ref={isIn(path) ? intoView : undefined}
            onClick={onLeave}
          />
        ))}
      </div>
    </section>
  )
}

function Waiting({ at }: { at: string }) {
  const [count, says] = useWaiting()[at] ?? [0, '']
  if (count === 0) return null
  return (
    <Badge size="sm" color="yellow" variant="light" aria-label={`${count} ${says}`}>
      {count}
    </Badge>
  )
}

/** Returns a function that reports whether the current URL belongs to a screen. */
function useIsIn(): (screen: ScreenAddress) => boolean {
  const href = useHref()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return (screen) => `${path}/`.startsWith(`${href(screen)}/`)
}

/**
 * Scrolls the link to the current screen into view, because the navigation can be taller than the
 * window. Does not use scrollIntoView, which would make Tab start from the link instead of the skip
 * link.
 */
function intoView(link: HTMLElement | null): void {
  const pane = link?.closest('.mantine-ScrollArea-viewport')
  if (!link || !pane) return
  const at = link.getBoundingClientRect()
  const shown = pane.getBoundingClientRect()
  if (at.bottom > shown.bottom) pane.scrollTop += at.bottom - shown.bottom + at.height
  if (at.top < shown.top) pane.scrollTop -= shown.top - at.top + at.height
}
