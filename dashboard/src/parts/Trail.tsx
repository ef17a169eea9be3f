import { Anchor } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { SCREENS } from '../shell/screens.ts'
import { useHref, useLastSearch } from '../shell/where.ts'
import { t } from '../texts/en.ts'

/** Where a record stands: its list, as it was last filtered, and the record that a form is of. */
export function Trail({ back }: { back: { to: string; label: string } }) {
  const href = useHref()
  const searchOf = useLastSearch()
  const [list = ''] = back.to.split('/')
  const screen = SCREENS.flatMap(({ screens }) => screens).find(({ path }) => path === list)
  const steps = screen && back.to !== list ? [{ to: list, label: screen.label }, back] : [back]
  return (
    <nav aria-label={t.shell.breadcrumb}>
      <ol className="trail">
        {steps.map(({ to, label }, i) => (
          <li key={to}>
            <Anchor
              className="back"
              component={Link}
              to={href(to)}
              search={searchOf(to) as never}
              size="sm"
            >
              {i === 0 && <IconArrowLeft size={14} stroke={1.8} aria-hidden />} {label}
            </Anchor>
          </li>
        ))}
      </ol>
    </nav>
  )
}
