import { Alert, Button } from '@mantine/core'
import { IconCheck, IconRefresh, IconUserCheck, IconX } from '@tabler/icons-react'
import type { ProfileSettings, Transfer } from '../../../../sdk/src/operations.ts'
import { type Envelope, useAction, useMe, useRead } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Copyable, money } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/transfers.ts'

/** What can be decided about a transfer as it is now, and whether somebody else has to. */
export function useDecisions(of: Transfer | undefined) {
  const may = useMay()
  const at = `transaction-service/transfers/${of?.reference}`
  const approval = useAction({
    path: `${at}/approve`,
    done: t.approvedTheTransferIsOn,
  })
  const rejection = useAction({
    path: `${at}/reject`,
    done: t.rejectedTheMoneyIsBack,
  })
  const repeat = useAction({ path: `${at}/retry`, done: t.theTransferIsSentAgain })
  const isOwn = useIsOwn(of)
  const isRefused = approval.error?.code === 'second_person_needed'
  const needsSecond = of?.status === 'Unverified' && (isOwn || isRefused)
  if (!of || !may('transfers:write')) return { buttons: null, needsSecond }

  const sum = money(of.amount, of.currency)
  const fee = of.fee > 0 ? t.theFeeOfIsTaken(money(of.fee, of.currency)) : ''
  const whereto = `${of.accountName ?? 'account'} ${of.accountNumber} at ${of.bankName}`
  const ask = (verb: string, text: string, go: () => void, isDangerous = false) =>
    confirm({ title: t.thisTransfer(verb), text, verb: `${verb} ${sum}`, go, isDangerous })
  const buttons =
    of.status === 'Unverified' ? (
      <>
        <Button
          variant="default"
          leftSection={<IconX size={16} />}
          loading={rejection.isPending}
          onClick={() =>
            ask(
              'Reject',
              `${sum} does not go to ${whereto}. Amount and fee come back to the wallet.`,
              rejection.mutate,
              true,
            )
          }
        >
          {t.reject}
        </Button>
        {!isOwn && (
          <Button
            leftSection={<IconCheck size={16} />}
            loading={approval.isPending}
            onClick={() => ask('Approve', `${sum} goes to ${whereto}. ${fee}`, approval.mutate)}
          >
            {t.approve}
          </Button>
        )}
      </>
    ) : of.status === 'Blocked' ? (
      <Button
        leftSection={<IconRefresh size={16} />}
        loading={repeat.isPending}
        onClick={() => ask('Retry', `${sum} goes to ${whereto}, once.`, repeat.mutate)}
      >
        {t.retry}
      </Button>
    ) : null
  return { buttons, needsSecond }
}

/** Whether it waits for a second person, who this one is not: they made it, or their key did. */
function useIsOwn(of: Transfer | undefined): boolean {
  const may = useMay()
  const { data: me } = useMe()
  const needsSecond = of?.needsSecondPerson ?? false
  const settings = useRead<Envelope<ProfileSettings>>(
    'user-service/profile/settings',
    {},
    needsSecond && may('profile:read'),
  )
  // Nobody else could: the limits are suspended.
  const isSuspended = (settings.data?.data.approvalSuspendedAt ?? null) !== null
  return needsSecond && !isSuspended && of?.createdBy?.personId === me?.person.id
}

/** Why whoever made it cannot approve it, and who can. */
export function NeedsSecond() {
  return (
    <Alert color="blue" icon={<IconUserCheck />} title={t.somebodyElseMustApproveIt}>
      {t.youMadeThisTransferSo} <Copyable text={location.href} />
    </Alert>
  )
}
