import { Alert, Button, Group, Stack, Switch } from '@mantine/core'
import type { ProfileSettings, UpdateProfileSettingsInput } from '../../../../sdk/src/operations.ts'
import { useAction, useMe } from '../../api/hooks.ts'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { money } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/settings.ts'
import { SETTINGS } from './Business.tsx'
import { SettingForm } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

interface Values extends Record<string, unknown> {
  eachNeeds: boolean
  transferApprovalAbove: number | string
  dayNeeds: boolean
  dailyApprovalAbove: number | string
}

/** Above which amounts a second person has to agree. */
export function Approval({ rules, mayWrite }: Pick<SectionProps, 'rules' | 'mayWrite'>) {
  const { transferApprovalAbove: each, dailyApprovalAbove: day, currency } = rules
  const sumOf = (needs: boolean, amount: number | string) => (needs ? Number(amount) : null)
  const missing = (needs: boolean, amount: number | string) =>
    needs && amount === '' ? t.sayAboveWhichAmount : null
  return (
    <SettingForm<Values>
      id="approval"
      title={t.approvalOfTransfers}
      about={t.aSecondPersonApproves}
      values={{
        eachNeeds: each !== null,
        transferApprovalAbove: each ?? '',
        dayNeeds: day !== null,
        dailyApprovalAbove: day ?? '',
      }}
      action={{
        path: SETTINGS,
        method: 'PUT',
        send: (values): UpdateProfileSettingsInput => ({
          transferApprovalAbove: sumOf(values.eachNeeds, values.transferApprovalAbove),
          dailyApprovalAbove: sumOf(values.dayNeeds, values.dailyApprovalAbove),
        }),
        done: t.theRuleIsStored,
      }}
      mayWrite={mayWrite}
      validate={{
        transferApprovalAbove: (amount: number | string, { eachNeeds }) =>
          missing(eachNeeds, amount),
        dailyApprovalAbove: (amount: number | string, { dayNeeds }) => missing(dayNeeds, amount),
      }}
    >
      {(form) => (
        <>
          {rules.approvalSuspendedAt && (
            <Alert color="yellow" title={t.theLimitsAreSuspended}>
              {t.inviteSomebodyWhoCanApprove}
            </Alert>
          )}
          <Pending of={rules} />
          <Switch
            label={t.largeTransfersNeedApproval}
            {...form.getInputProps('eachNeeds', { type: 'checkbox' })}
          />
          {form.values.eachNeeds && (
            <MoneyInput
              label={t.above}
              currency={currency}
              maw={280}
              required
              {...form.getInputProps('transferApprovalAbove')}
            />
          )}
          <Switch
            label={t.largeDaysNeedApproval}
            description={t.transfersAndBillsOfTheDay}
            {...form.getInputProps('dayNeeds', { type: 'checkbox' })}
          />
          {form.values.dayNeeds && (
            <MoneyInput
              label={t.dailyTotalAbove}
              currency={currency}
              maw={280}
              required
              {...form.getInputProps('dailyApprovalAbove')}
            />
          )}
        </>
      )}
    </SettingForm>
  )
}

/** A change that raises a limit or switches one off, until a second person confirms it. */
function Pending({ of: { pendingApprovalChange: change, currency } }: { of: ProfileSettings }) {
  const may = useMay()
  const { data: me } = useMe()
  const send = () => ({ requestedAt: change?.requestedAt })
  const about = { method: 'POST', send } as const
  const confirmation = useAction({
    ...about,
    path: '/console/approval-change/confirm',
    done: t.theChangeIsConfirmed,
  })
  const withdrawal = useAction({
    ...about,
    path: '/console/approval-change/drop',
    done: t.theLimitsStayAsTheyAre,
  })
  if (!change) return null
  const says = (amount: number | null) => (amount === null ? t.noLimit : money(amount, currency))
  const isOwn = change.requestedBy.personId === me?.person.id
  return (
    <Alert color="yellow" title={t.aChangeNeedsConfirmation}>
      <Stack gap="sm" align="flex-start">
        {t.wantsToChangeTheLimits(
          change.requestedBy.name,
          says(change.transferApprovalAbove),
          says(change.dailyApprovalAbove),
        )}
        {isOwn ? ` ${t.somebodyElseConfirmsIt}` : null}
        {may('transfers:write') && (
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              loading={withdrawal.isPending}
              onClick={() => withdrawal.mutate()}
            >
              {isOwn ? t.withdrawTheChange : t.rejectTheChange}
            </Button>
            {!isOwn && (
              <Button
                size="xs"
                loading={confirmation.isPending}
                onClick={() => confirmation.mutate()}
              >
                {t.confirmTheChange}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Alert>
  )
}
