import { Radio, Stack, Text } from '@mantine/core'
import type { UpdateProfileSettingsInput } from '../../../../../sdk/src/operations.ts'
import { act, useOperation } from '../../../api/hooks.ts'
import { usePermission } from '../../../api/permissions.ts'
import { When } from '../../../ui/values.tsx'
import { SettingForm } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

type Schedule = NonNullable<UpdateProfileSettingsInput['payoutSchedule']>

const CHOICES: readonly { value: Schedule; label: string; description: string }[] = [
  { value: 'manual', label: 'By hand', description: 'Only when you choose “Pay out now”.' },
  { value: 'daily', label: 'Every day', description: 'At midnight.' },
  { value: 'weekly', label: 'Every week', description: 'On Mondays at midnight.' },
]

/** Asks when the wallet is paid out to the settlement account, and shows the next dates. */
export function PayoutSchedule({ rules, mayWrite }: Pick<SectionProps, 'rules' | 'mayWrite'>) {
  return (
    <SettingForm<{ payoutSchedule: Schedule }>
      id="payout-schedule"
      title="Payout schedule"
      about="When we pay out all of the available balance to your settlement account, less the transfer fee. Approval limits apply to payouts too."
      values={{ payoutSchedule: rules.payoutSchedule as Schedule }}
      action={act('update_profile_settings', {
        input: ({ payoutSchedule }: { payoutSchedule: Schedule }) => ({ payoutSchedule }),
        done: 'Payout schedule saved.',
      })}
      mayWrite={mayWrite}
    >
      {(form) => (
        <>
          <Radio.Group label="Pay out" {...form.field('payoutSchedule')}>
            <Stack gap="sm" mt={6}>
              {CHOICES.map((choice) => (
                <Radio key={choice.value} {...choice} />
              ))}
            </Stack>
          </Radio.Group>
          <Dates of={form.values.payoutSchedule} />
        </>
      )}
    </SettingForm>
  )
}

function Dates({ of: schedule }: { of: Schedule }) {
  const may = usePermission()
  const { data } = useOperation(
    'get_next_payout',
    { schedule },
    { enabled: schedule !== 'manual' && may('transfers:read'), keepsPrevious: true },
  )
  const dates = schedule === 'manual' ? [] : (data?.data.dates ?? [])
  if (dates.length === 0) return null
  return (
    <Text size="sm" role="status">
      Next payouts:{' '}
      {dates.map((at, i) => (
        <span key={at}>
          {i > 0 && '; '}
          <When at={at} />
        </span>
      ))}
    </Text>
  )
}
