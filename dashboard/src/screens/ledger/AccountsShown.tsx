import {
  Box,
  Button,
  Group,
  SimpleGrid,
  Skeleton,
  Stack,
  Text,
  UnstyledButton,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import type { Envelope, useRead } from '../../api/hooks.ts'
import { figureClass } from '../../parts/Figures.tsx'
import { Failure } from '../../parts/states.tsx'
import { money } from '../../parts/values.tsx'
import { useSearchState } from '../../shell/where.ts'
import { ACCOUNT_KINDS, ACCOUNTS } from './names.ts'
import type { Accounts } from './types.ts'

type Shown = Accounts['accounts'][number]

/** What each account has, and on demand what it is; pressing one shows its entries alone. */
export function AccountsShown({
  of: read,
  chosen,
}: {
  of: ReturnType<typeof useRead<Envelope<Accounts>>>
  chosen: string | undefined
}) {
  const [isOpen, { toggle }] = useDisclosure(false)
  if (read.error && !read.data) {
    return <Failure error={read.error} again={() => void read.refetch()} />
  }
  if (!read.data) return <Skeleton height={104} aria-label="Loading" />
  const accounts = [...read.data.data.accounts].sort(
    (a, b) => ACCOUNT_KINDS.indexOf(a.kind) - ACCOUNT_KINDS.indexOf(b.kind),
  )
  if (accounts.length === 0) return null
  const Chevron = isOpen ? IconChevronUp : IconChevronDown
  return (
    <Stack gap="xs">
      <SimpleGrid
        cols={{ base: 2, sm: 3, lg: accounts.length > 4 ? 3 : accounts.length }}
        spacing="sm"
      >
        {accounts.map((account) => (
          <AccountCard
            key={`${account.kind} ${account.currency}`}
            of={account}
            isChosen={account.kind === chosen}
            isExplained={isOpen}
          />
        ))}
      </SimpleGrid>
      <Group>
        <Button
          variant="subtle"
          size="compact-sm"
          rightSection={<Chevron size={14} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {isOpen ? 'Hide what they are' : 'What are these accounts?'}
        </Button>
      </Group>
    </Stack>
  )
}

function AccountCard({
  of: { kind, count, balance, currency },
  isChosen,
  isExplained,
}: {
  of: Shown
  isChosen: boolean
  isExplained: boolean
}) {
  const [, change] = useSearchState()
  const { name = kind, says } = ACCOUNTS[kind] ?? {}
  const inside = (
    <>
      <Text size="sm" c="dimmed">
        {name}
        {kind === 'subaccount' && ` (${count.toLocaleString('en-NG')})`}
      </Text>
      <Text className={figureClass(money(balance, currency))}>{money(balance, currency)}</Text>
      {isExplained && (
        <Text size="sm" c="dimmed" mt={4}>
          {says}
        </Text>
      )}
    </>
  )
  // Of all subaccounts together there is no account: one of them is chosen by its name.
  if (kind === 'subaccount') {
    return (
      <Box className="card figure-room" p={{ base: 'sm', sm: 'md' }}>
        {inside}
      </Box>
    )
  }
  return (
    <UnstyledButton
      className="card figure-room"
      p={{ base: 'sm', sm: 'md' }}
      aria-pressed={isChosen}
      style={{
        // As a button it would stand in the middle of its height.
        display: 'flex',
        flexDirection: 'column',
        justifyContent: 'flex-start',
        ...(isChosen && { borderColor: 'var(--accent)' }),
      }}
      onClick={() =>
        change({
          account: isChosen ? undefined : kind,
          currency: isChosen ? undefined : currency,
          cursor: undefined,
        })
      }
    >
      {inside}
    </UnstyledButton>
  )
}
