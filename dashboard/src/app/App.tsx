import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { ApiError } from '../api/call.ts'
import { ME } from '../api/hooks.ts'
import { whenLeft } from '../api/session.ts'
import { ReauthenticationModal } from './Reauthentication.tsx'
import { router } from './router.ts'
import '../theme/motion.css'
import { theme, variables } from '../theme/theme.ts'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A network that seems away may be there, and a server on this machine always is: it is tried.
      networkMode: 'always',
      refetchOnReconnect: true,
      // What is refused stays refused; what broke may work in a moment.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
    // Nothing waits for a network to be done later, when nobody thinks of it any more. Nor is any
    // answer kept once its screen is left: some are secrets that are shown once.
    mutations: { networkMode: 'always', gcTime: 0 },
  },
})

// Of the answers to whoever was here, none is shown to the next.
whenLeft(() => queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] }))

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
