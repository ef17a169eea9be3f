import { Box, Button, Center, Group, Stack, Text, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMe } from '../../api/hooks.ts'
import { type Business, chooseBusiness } from '../../api/session.ts'
import { useSignOut } from '../../shell/sign-out.ts'
import { t } from '../../texts/security.ts'
import { Passkeys } from './Passkeys.tsx'
import { TwoFactor } from './TwoFactor.tsx'

const words = t.required

/** Stands in place of all screens of a business until there is the second factor it requires. */
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
            <Title order={1}>{words.title}</Title>
            <Text c="dimmed">{words.text(business.name)}</Text>
            {!isThere && <Text c="dimmed">{words.passkey}</Text>}
          </Stack>
          <TwoFactor />
          <Passkeys />
          <Group>
            <Button onClick={enter} disabled={!isThere}>
              {words.go(business.name)}
            </Button>
            {others.map(({ id, name }) => (
              <Button
                key={id}
                variant="default"
                onClick={() => {
                  chooseBusiness(id)
                  enter()
                }}
              >
                {words.other(name)}
              </Button>
            ))}
            <Button variant="default" onClick={() => void signOut()}>
              {words.signOut}
            </Button>
          </Group>
        </Stack>
      </Box>
    </Center>
  )
}
