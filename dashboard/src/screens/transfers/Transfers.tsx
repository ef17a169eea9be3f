import { Button, SegmentedControl } from '@mantine/core'
import { IconArrowUpRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Transfer } from '../../../../sdk/src/operations.ts'
import { businessId } from '../../api/session.ts'
import { AMOUNT, STATUS, WHEN } from '../../parts/columns.tsx'
import { ListPage } from '../../parts/ListPage.tsx'
import { Clip, Copyable, money, short, words } from '../../parts/values.tsx'
import { useApprovals } from '../../shell/approvals.ts'
import { useMay } from '../../shell/may.ts'
import { useHref, useSearchState } from '../../shell/where.ts'
import { t } from '../../texts/transfers.ts'

const TRANSFER_STATES = ['Unverified', 'Pending', 'Successful', 'Failed', 'Blocked', 'Rejected']

export function Transfers() {
  const may = useMay()
  const href = useHref()
  const send = may('transfers:write') && (
    <Button
      component={Link}
      to={href('transfers/new')}
      leftSection={<IconArrowUpRight size={16} />}
    >
      {t.sendMoney}
    </Button>
  )
  return (
    <ListPage<Transfer>
      title={t.transfers}
      actions={send}
      path="transaction-service/transfer/get-transfer-list"
      query={{ businessId: businessId() ?? '' }}
      search="search"
      searchFor={t.recipientOrReference}
      filters={[
        {
          kind: 'choice',
          name: 'status',
          label: t.status,
          options: TRANSFER_STATES.map((value) => ({ value, label: words(value) })),
        },
      ]}
      columns={[
        AMOUNT,
        STATUS,
        {
          label: t.toLabel,
          cell: ({ accountName, accountNumber, bankName }) => (
            <Clip text={accountName ?? accountNumber} also={`${bankName} · ${accountNumber}`} />
          ),
          onPhone: 'below',
        },
        {
          label: t.reference,
          cell: ({ transferReference, reference }) => (
            <Copyable
              text={transferReference || reference}
              shown={short(transferReference || reference)}
            />
          ),
          isWide: true,
        },
        {
          label: t.fee,
          cell: ({ fee, currency }) => <span className="whole">{money(fee, currency)}</span>,
          align: 'right',
          isWide: true,
        },
        { label: t.madeBy, cell: (transfer) => <People of={transfer} />, isWide: true },
        WHEN,
      ]}
      keyOf={({ reference }) => reference}
      hrefOf={({ reference }) => `transfers/${reference}`}
      empty={{
        title: t.noTransfersYet,
        text: t.sendMoneyFromTheWallet,
        ...(send && { action: send }),
      }}
      nothing={({ status, search }) =>
        status === 'Unverified' && !search
          ? { title: t.nothingNeedsApproval, text: t.whatNeedsApprovalAppearsHere }
          : undefined
      }
    >
      <Tabs />
    </ListPage>
  )
}

/** All transfers, or those that somebody has to decide. */
function Tabs() {
  const [{ status }, change] = useSearchState()
  const { transfers } = useApprovals()
  const waiting = transfers > 0 ? `${t.needsApproval} (${transfers})` : t.needsApproval
  return (
    <SegmentedControl
      w="fit-content"
      aria-label={t.whichTransfers}
      value={status === 'Unverified' ? status : ''}
      onChange={(chosen) => change({ status: chosen || undefined, page: undefined })}
      data={[
        { value: '', label: t.allTransfers },
        { value: 'Unverified', label: waiting },
      ]}
    />
  )
}

/** Who made it, and under the pointer who approved it. */
function People({ of: { createdBy, approvedBy } }: { of: Transfer }) {
  if (!createdBy) return '–'
  return <Clip text={createdBy.name} also={approvedBy && t.approvedByWhom(approvedBy.name)} />
}
