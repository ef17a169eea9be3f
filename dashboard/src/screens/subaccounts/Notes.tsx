import { Alert, Button, Stack } from '@mantine/core'
import type { Subaccount } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { When } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/subaccounts.ts'

/** What keeps its shares from being paid out. */
export function Notes({ of }: { of: Subaccount }) {
  return (
    <Stack gap="sm" mb={hasNotes(of) ? 'lg' : 0}>
      {isPaused(of) && (
        <Alert color="blue" title={t.payoutsArePaused}>
          {t.theAccountWasChangedPaymentsGo} <When at={of.payoutsPausedUntil!} />.
        </Alert>
      )}
      <Holder of={of} />
    </Stack>
  )
}

const isPaused = ({ payoutsPausedUntil: until }: Subaccount): boolean =>
  until !== null && Date.parse(until) > Date.now()

const isDoubted = ({ payoutsBlocked, payoutsBlockedFrom }: Subaccount): boolean =>
  payoutsBlocked !== null || payoutsBlockedFrom !== null

const hasNotes = (of: Subaccount): boolean => isPaused(of) || isDoubted(of) || !of.verified

function Holder({ of }: { of: Subaccount }) {
  if (of.payoutsBlocked === 'bank_missing') {
    return (
      <Alert color="yellow" title={t.itHasNoBankYet}>
        {t.itsSharesAreKeptAnd}
      </Alert>
    )
  }
  if (isDoubted(of)) return <Doubt of={of} />
  if (of.verified) return null
  return (
    <Alert color="blue" title={t.theBankDidNotConfirm}>
      {t.doesNotKnowTheAccount(of.bankName)}
    </Alert>
  )
}

/** The account may be somebody else's: somebody has to look. */
function Doubt({ of }: { of: Subaccount }) {
  const may = useMay()
  const act = useAction({
    path: `transaction-service/subaccounts/${of.subaccount_code}/confirm-account`,
    done: t.theAccountIsConfirmed,
  })
  const why = of.bankAccountName
    ? t.theBankHasAnotherName(of.account_name ?? '', of.bankAccountName)
    : t.theBankDidNotAnswer(of.bankName ?? '')
  const ask = () =>
    confirm({
      title: t.confirmThisAccount,
      text: t.paymentsGoTo(
        of.bankAccountName ?? of.account_name ?? of.business_name,
        of.account_number,
        of.bankName ?? '',
      ),
      verb: t.confirmAccount,
      go: () => act.mutate(),
    })
  return (
    <Alert color="yellow" title={of.payoutsBlocked ? t.payoutsAreBlocked : t.payoutsWillBeBlocked}>
      <Stack gap="sm" align="flex-start">
        <div>
          {why} {t.correctOrConfirmIt}{' '}
          {of.payoutsBlockedFrom && !of.payoutsBlocked && (
            <>
              {t.payoutsStop} <When at={of.payoutsBlockedFrom} />.
            </>
          )}
        </div>
        {may('subaccounts:write') && (
          <Button size="xs" variant="default" loading={act.isPending} onClick={ask}>
            {t.confirmAccount}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
