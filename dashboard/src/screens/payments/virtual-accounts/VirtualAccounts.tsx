import { Stack, Text } from '@mantine/core'
import { IconTestPipe } from '@tabler/icons-react'
import { useParams } from '@tanstack/react-router'
import type { VirtualAccount as Record } from '../../../../../sdk/src/operations.ts'
import { useMode } from '../../../api/history.ts'
import { useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Card, DetailPage, Fact, Facts, Related } from '../../../ui/DetailPage.tsx'
import { choice, DAYS } from '../../../ui/Filters.tsx'
import { Failure } from '../../../ui/feedback.tsx'
import { AMOUNT, ListPage, STATUS, WHEN } from '../../../ui/ListPage.tsx'
import { ScreenLink } from '../../../ui/links.tsx'
import { money, Status, shortReference, When, WithNote } from '../../../ui/values.tsx'
import { senderOf, stateOf } from '../deposits/names.ts'

/** The accounts that were opened for payments by bank transfer. */
export function VirtualAccounts() {
  return (
    <ListPage
      title="Virtual accounts"
      operation="list_virtual_accounts"
      csv="export_virtual_accounts"
      search="search"
      searchFor="Account number or payment reference"
      filters={[choice('status', 'Status', ['Open', 'Paid', 'Expired']), ...DAYS]}
      columns={[
        {
          label: 'Account',
          cell: ({ accountNumber, bankName }) => (
            <WithNote note={bankName}>{accountNumber}</WithNote>
          ),
        },
        STATUS,
        { ...AMOUNT, onPhone: 'below' },
        { label: 'Account name', cell: ({ accountName }) => accountName, isWide: true },
        {
          label: 'Payment',
          cell: ({ reference }) => (
            <span className="whole">
              <ScreenLink to={`payments/${reference}`}>{shortReference(reference)}</ScreenLink>
            </span>
          ),
        },
        {
          label: 'Expires',
          cell: ({ status, expiresAt }) => (status === 'Open' ? <When at={expiresAt} /> : '–'),
          isWide: true,
        },
        WHEN,
      ]}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `virtual-accounts/${id}`}
      empty={{
        title: 'No virtual accounts yet',
        text: 'When a payer chooses bank transfer, we open an account number for that one payment. You can look the numbers up here.',
      }}
    />
  )
}

export function VirtualAccount() {
  const { id } = useParams({ from: '/$mode/virtual-accounts/$id' })
  const read = useOperation('get_virtual_account', { id })
  const account = read.data?.data
  const may = usePermission()
  const isTest = useMode() === 'test'
  return (
    <DetailPage
      back={{ to: 'virtual-accounts', label: 'Virtual accounts' }}
      title={account?.accountNumber}
      name={account && `${account.accountNumber} · ${account.bankName}`}
      status={<Status of={account?.status} />}
      read={read}
      actions={
        account &&
        isTest &&
        may('simulator:write') && (
          <ActionButton
            icon={IconTestPipe}
            label="Simulate a transfer"
            to="simulator"
            search={{ account: account.accountNumber, amount: String(account.amount) }}
          />
        )
      }
    >
      {account && (
        <>
          <AccountFacts of={account} />
          <Deposits of={account} />
        </>
      )}
    </DetailPage>
  )
}

function AccountFacts({ of }: { of: Record }) {
  return (
    <Card title="Account">
      <Facts>
        <Fact label="Account number" copy={of.accountNumber} />
        <Fact label="Bank" value={of.bankName} />
        <Fact label="Account name" value={of.accountName} />
        <Fact label="Amount to pay" value={money(of.amount, of.currency)} />
        <Fact
          label="Payment"
          value={<ScreenLink to={`payments/${of.reference}`}>{of.reference}</ScreenLink>}
        />
        <Fact label="Opened" at={of.createdAt} />
        <Fact
          label={of.status === 'Expired' ? 'Expired' : 'Expires'}
          at={of.status === 'Paid' ? undefined : of.expiresAt}
        />
      </Facts>
    </Card>
  )
}

/** Accounts rarely get more than one deposit. */
const DEPOSITS_MAX = 50

function Deposits({ of: { accountNumber, reference } }: { of: Record }) {
  const { data, error, refetch } = useOperation('list_deposits', {
    accountNumber,
    transactionReference: reference,
    limit: DEPOSITS_MAX,
  })
  if (error) return <Failure error={error} again={() => void refetch()} />
  const deposits = data?.data
  return (
    <Card title="Deposits">
      <Stack gap="sm">
        {deposits?.map((deposit) => (
          <Related
            key={deposit.reference}
            to={`deposits/${deposit.reference}`}
            of={{ ...deposit, status: stateOf(deposit) }}
            note={senderOf(deposit)}
          />
        ))}
        {deposits?.length === 0 && <Text c="dimmed">No money has arrived in this account.</Text>}
      </Stack>
    </Card>
  )
}
