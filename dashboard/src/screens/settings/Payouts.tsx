import { Switch } from '@mantine/core'
import type { UpdateProfileSettingsInput } from '../../../../sdk/src/operations.ts'
import { MoneyInput } from '../../parts/MoneyInput.tsx'
import { t } from '../../texts/settings.ts'
import { SETTINGS } from './Business.tsx'
import { SettingForm } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'
import { SettlementAccount } from './SettlementAccount.tsx'

export function Payouts({ rules, mayWrite }: SectionProps) {
  const { transferApprovalAbove: above, currency } = rules
  return (
    <>
      <SettlementAccount of={rules} mayWrite={mayWrite} />
      <SettingForm<{ needsApproval: boolean; transferApprovalAbove: number | string }>
        id="approval"
        title={t.approvalOfTransfers}
        about="Larger transfers wait until a second person approves them."
        values={{ needsApproval: above !== null, transferApprovalAbove: above ?? '' }}
        action={{
          path: SETTINGS,
          method: 'PUT',
          send: ({ needsApproval, transferApprovalAbove }): UpdateProfileSettingsInput => ({
            transferApprovalAbove: needsApproval ? Number(transferApprovalAbove) : null,
          }),
          done: t.theRuleIsStored,
        }}
        mayWrite={mayWrite}
        validate={{
          transferApprovalAbove: (amount: number | string, { needsApproval }) =>
            needsApproval && amount === '' ? t.sayAboveWhichAmount : null,
        }}
      >
        {(form) => (
          <>
            <Switch
              label={t.largeTransfersNeedApproval}
              {...form.getInputProps('needsApproval', { type: 'checkbox' })}
            />
            {form.values.needsApproval && (
              <MoneyInput
                label={t.above}
                currency={currency}
                maw={280}
                required
                {...form.getInputProps('transferApprovalAbove')}
              />
            )}
          </>
        )}
      </SettingForm>
    </>
  )
}
