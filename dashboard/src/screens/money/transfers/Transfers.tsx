import { SegmentedControl } from '@mantine/core'
import { IconArrowUpRight } from '@tabler/icons-react'
import type { Transfer } from '../../../../../sdk/src/operations.ts'
import { useApprovals } from '../../../api/approvals.ts'
import { usePermission } from '../../../api/permissions.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { choice, DAYS } from '../../../ui/Filters.tsx'
import { AMOUNT, ListPage, STATUS, WHEN } from '../../../ui/ListPage.tsx'
import { useSearchState } from '../../../ui/navigation.ts'
import { Copyable, formatState, money, shortReference, Truncated } from '../../../ui/values.tsx'

const TRANSFER_STATES = ['Unverified', 'Pending', 'Successful', 'Failed', 'Blocked', 'Rejected']

export function Transfers() {
  const may = usePermission()
  const send = may('transfers:write') && (
    <ActionButton icon={IconArrowUpRight} label="Send money" isMain to="transfers/new" />
  )
  return (
    <ListPage
      title="Transfers"
      actions={send}
      operation="list_transfers"
      search="search"
      searchFor="Recipient, account number or reference"
      csv="export_transfers"
      filters={[
        choice(
          'status',
          'Status',
          TRANSFER_STATES.map((value) => ({ value, label: formatState(value) })),
        ),
        choice('origin', 'Kind', [
          { value: 'transfer', label: 'Transfers' },
          { value: 'payout', label: 'Payouts to your account' },
        ]),
        ...DAYS,
      ]}
      columns={[
        AMOUNT,
        STATUS,
        {
          label: 'To',
          cell: ({ accountName, accountNumber, bankName }) => (
            <Truncated
              text={accountName ?? accountNumber}
              also={`${bankName} · ${accountNumber}`}
            />
          ),
          onPhone: 'below',
        },
        {
          label: 'Reference',
          cell: ({ transferReference, reference }) => (
            <Copyable
              text={transferReference || reference}
              shown={shortReference(transferReference || reference)}
            />
          ),
          isWide: true,
        },
        {
          label: 'Fee',
          cell: ({ fee, currency }) => <span className="whole">{money(fee, currency)}</span>,
          align: 'right',
          isWide: true,
        },
        { label: 'Created by', cell: (transfer) => <People of={transfer} />, isWide: true },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `transfers/${reference}`}
      empty={{
        title: 'No transfers yet',
        text: 'Send money from the wallet to any bank account in Nigeria. Transfers above your limit need a second person’s approval.',
        ...(send && { action: send }),
      }}
      nothing={({ status, search, origin }) =>
        origin === 'payout' && !status && !search
          ? {
              title: 'No payouts yet',
              text: 'Payouts to your own bank account appear here. You can pay out on the Wallet screen.',
            }
          : status === 'Unverified' && !search
            ? {
                title: 'No transfers need approval',
                text: 'Transfers that are above your limit, or whose account holder doesn’t match, wait here until someone approves them.',
              }
            : undefined
      }
    >
      <Tabs />
    </ListPage>
  )
}

function Tabs() {
  const [{ status }, change] = useSearchState()
  const { transfers } = useApprovals()
  const waiting = transfers > 0 ? `Needs approval (${transfers})` : 'Needs approval'
  return (
    <SegmentedControl
      w="fit-content"
      aria-label="Which transfers"
      value={status === 'Unverified' ? status : ''}
      onChange={(chosen) => change({ status: chosen || undefined, page: undefined })}
      data={[
        { value: '', label: 'All' },
        { value: 'Unverified', label: waiting },
      ]}
    />
  )
}

/** The tooltip names the approver. */
function People({ of: { origin, createdBy, approvedBy } }: { of: Transfer }) {
  if (!createdBy) return origin === 'payout' ? 'Payout schedule' : '–'
  return <Truncated text={createdBy.name} also={approvedBy && `approved by ${approvedBy.name}`} />
}
