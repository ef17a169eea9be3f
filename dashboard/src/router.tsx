import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { history } from './api/history.ts'
import { Failure, LoadingScreen } from './parts/states.tsx'
import { SCREEN_ROUTES } from './screens/routes.ts'
import { meantBy } from './screens/typed.ts'
import { BrokenScreen, NoScreen } from './shell/broken.tsx'
import { useHeading } from './shell/heading.ts'
import { SignedIn } from './shell/SignedIn.tsx'

const root = createRootRoute({
  component: Root,
  notFoundComponent: NoScreen,
  errorComponent: ({ error, reset }) => <Failure error={error} again={reset} />,
})

function Root() {
  useHeading()
  return <Outlet />
}

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/test/overview', replace: true })
  },
})

/** What one reaches without being signed in. */
const OUTSIDE = {
  'sign-in': 'SignIn',
  'sign-up': 'SignUp',
  'forgot-password': 'ForgotPassword',
  'reset-password': 'ResetPassword',
  // Somebody who has an account joins by its password; somebody new makes one. One form does both.
  invitation: 'SignUp',
} as const

/** What mailed links lead to, signed in or not. */
const MAILED = {
  'confirm-email': 'ConfirmEmail',
  'remove-passkeys': 'RemovePasskeys',
} as const

const outside = [
  ...Object.entries(OUTSIDE).map(([path, name]) =>
    createRoute({
      getParentRoute: () => root,
      path: `/${path}`,
      component: lazyRouteComponent(() => import('./screens/account/outside.tsx'), name),
    }),
  ),
  ...Object.entries(MAILED).map(([path, name]) =>
    createRoute({
      getParentRoute: () => root,
      path: `/${path}`,
      component: lazyRouteComponent(() => import('./screens/account/mailed.tsx'), name),
    }),
  ),
]

/** Test or live stands at the beginning of every address of a screen. */
const mode = createRoute({
  getParentRoute: () => root,
  path: '/$mode',
  component: SignedIn,
  notFoundComponent: NoScreen,
  beforeLoad: ({ params, location }) => {
    if (params.mode === 'test' || params.mode === 'live') return
    const meant = meantBy(location.pathname)
    if (!meant) throw notFound()
    throw redirect({ to: meant, search: location.search as never, replace: true })
  },
})

/** A mode without a screen shows its overview. */
const start = createRoute({
  getParentRoute: () => mode,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: `/${params.mode}/overview`, replace: true })
  },
})

const screens = SCREEN_ROUTES.map(({ path, load, name }) =>
  createRoute({
    getParentRoute: () => mode,
    path,
    component: lazyRouteComponent(load, name),
    // What breaks in a screen leaves the shell around it as it is.
    errorComponent: BrokenScreen,
  }),
)

export const router = createRouter({
  history,
  routeTree: root.addChildren([home, ...outside, mode.addChildren([start, ...screens])]),
  defaultPreload: 'intent',
  defaultPendingComponent: LoadingScreen,
  scrollRestoration: true,
  // Filters are plain text in the address, not JSON.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const text = new URLSearchParams(search as Record<string, string>).toString()
    return text ? `?${text}` : ''
  },
})
