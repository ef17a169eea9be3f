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
import { Failure } from '../../parts/states.tsx'
import { money } from '../../parts/values.tsx'
import { useSearchState } from '../../shell/where.ts'
import { t } from '../../texts/ledger.ts'
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
  const accounts = allOf(read.data?.data.accounts ?? [])
  const longest = Math.max(...accounts.map((one) => money(one.balance, one.currency).length))
  const Chevron = isOpen ? IconChevronUp : IconChevronDown
  return (
    <Stack gap="xs">
      <div className="figures-room">
        <SimpleGrid
          className="figures"
          cols={{ base: 2, sm: 3 }}
          spacing="sm"
          style={{ '--many': 3, '--characters': longest }}
          {...(!read.data && { role: 'status', 'aria-busy': true, 'aria-label': 'Loading' })}
        >
          {accounts.map((account) => (
            <AccountCard
              key={`${account.kind} ${account.currency}`}
              of={account}
              isChosen={account.kind === chosen}
              isExplained={isOpen}
              isLoading={!read.data}
            />
          ))}
        </SimpleGrid>
      </div>
      <Group>
        <Button
          variant="subtle"
          size="compact-sm"
          rightSection={<Chevron size={14} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {isOpen ? t.hideWhatTheyAre : t.whatAreTheseAccounts}
        </Button>
      </Group>
    </Stack>
  )
}

/** Those that every business comes to have; what is shown does not jump when one is opened. */
const ALWAYS = ACCOUNT_KINDS.filter((kind) => kind !== 'wallet_pending')

function allOf(accounts: Shown[]): Shown[] {
  const currency = accounts[0]?.currency ?? 'NGN'
  const missing = ALWAYS.filter((kind) => !accounts.some((one) => one.kind === kind)).map(
    (kind) => ({ kind, count: 0, balance: 0, balanceMinor: 0, currency }),
  )
  return [...accounts, ...missing].sort(
    (a, b) => ACCOUNT_KINDS.indexOf(a.kind) - ACCOUNT_KINDS.indexOf(b.kind),
  )
}

function AccountCard({
  of: { kind, count, balance, currency },
  isChosen,
  isExplained,
  isLoading,
}: {
  of: Shown
  isChosen: boolean
  isExplained: boolean
  isLoading: boolean
}) {
  const [, change] = useSearchState()
  const { name = kind, says } = ACCOUNTS[kind] ?? {}
  const inside = (
    <>
      <Text size="sm" c="dimmed">
        {name}
        {kind === 'subaccount' && count > 0 && ` (${count.toLocaleString('en-NG')})`}
      </Text>
      {isLoading ? (
        <Skeleton width="70%" className="figure">
          &nbsp;
        </Skeleton>
      ) : (
        <Text className="figure">{money(balance, currency)}</Text>
      )}
      {isExplained && (
        <Text size="sm" c="dimmed" mt={4}>
          {says}
        </Text>
      )}
    </>
  )
  // Of all subaccounts together there is no account: one of them is chosen by its name. One that
  // nothing has moved through has no entries.
  if (kind === 'subaccount' || count === 0) {
    return (
      <Box className="card figure-tile" p={{ base: 'sm', sm: 'md' }}>
        {inside}
      </Box>
    )
  }
  return (
    <UnstyledButton
      className="card figure-tile"
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
