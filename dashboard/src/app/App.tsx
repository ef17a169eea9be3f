import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { ApiError } from '../api/call.ts'
import { ME_QUERY } from '../api/hooks.ts'
import { onLeave } from '../api/session.ts'
import { ReauthenticationModal } from './Reauthentication.tsx'
import { router } from './router.ts'
import '../theme/motion.css'
import { theme, variables } from '../theme/theme.ts'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // Browsers can wrongly report that they are offline, and a local server can always be
      // reached.
      networkMode: 'always',
      refetchOnReconnect: true,
      // Does not retry refusals, which are final. Other failures may be temporary.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
    // Actions are not queued, because users would not expect them to run later. Responses are
    // dropped when the user leaves the screen, because some contain secrets that are only shown
    // once.
    mutations: { networkMode: 'always', gcTime: 0 },
  },
})

// The next user must not see the data of this one.
onLeave(() => queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME_QUERY[0] }))

const nonce = () => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={nonce}
    >
      <QueryClientProvider client={queries}>
        <ModalsProvider>
          <RouterProvider router={router} />
          <ReauthenticationModal />
          <Notifications position="top-center" autoClose={5_000} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  )
}
