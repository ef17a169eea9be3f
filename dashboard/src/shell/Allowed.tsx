import { Outlet, useRouterState } from '@tanstack/react-router'
import { ApiError } from '../api/call.ts'
import { Failure } from '../parts/states.tsx'
import { useMay } from './may.ts'
import { SCREENS } from './screens.ts'

/**
 * The screen in view; or, where the role does not include it, that it does not: neither a list that
 * is asked for in vain, nor a form whose end would be refused.
 */
export function AllowedScreen() {
  const may = useMay()
  const needed = useRouterState({ select: ({ location }) => scopeOf(location.pathname) })
  if (may(needed)) return <Outlet />
  return <Failure level={1} error={new ApiError('', { status: 403, code: 'forbidden' })} />
}

/** Reading what the navigation leads to; writing it where a form of it is in view. */
function scopeOf(path: string): string | undefined {
  const [, , screen, ...below] = path.split('/')
  const scope = SCREENS.flatMap(({ screens }) => screens).find(
    ({ path: of }) => of === screen,
  )?.scope
  const isForm = below[0] === 'new' || below[1] === 'edit'
  return isForm ? scope?.replace(':read', ':write') : scope
}
