import { Box, Center, Group, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMe } from '../../../api/hooks.ts'
import { type Business, chooseBusiness } from '../../../api/session.ts'
import { useSignOut } from '../../../api/sign-out.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Passkeys } from './Passkeys.tsx'
import { TwoFactor } from './TwoFactor.tsx'

/**
 * If the business requires two-factor authentication, replaces its screens until the user has set
 * it up.
 */
export function SecondFactor({ business, onDone }: { business: Business; onDone(): void }) {
  const { data: me } = useMe()
  const queries = useQueryClient()
  const signOut = useSignOut()
  const isThere = me?.person.secondFactor ?? false
  const others = me?.businesses.filter(({ id }) => id !== business.id) ?? []
  const enter = () => {
    onDone()
    void queries.invalidateQueries()
  }
  return (
    <Center mih="100vh" p="md" component="main">
      <Box w="100%" maw={560}>
        <Stack gap="lg">
          <Stack gap={4}>
            <Title order={1}>Set up two-factor authentication</Title>
            <Text c="dimmed">
              {business.name} requires two-factor authentication for all members. Set up an
              authenticator app or add a passkey to continue.
            </Text>
            {!isThere && (
              <Text c="dimmed">If you already have a passkey, sign out and sign in with it.</Text>
            )}
          </Stack>
          <TwoFactor />
          <Passkeys />
          <Group>
            <ActionButton
              label={`Continue to ${business.name}`}
              isMain
              onClick={enter}
              disabled={!isThere}
            />
            {others.map(({ id, name }) => (
              <ActionButton
                label={`Go to ${name} instead`}
                key={id}
                onClick={() => {
                  chooseBusiness(id)
                  enter()
                }}
              />
            ))}
            <ActionButton label="Sign out" onClick={() => void signOut()} />
          </Group>
        </Stack>
      </Box>
    </Center>
  )
}
