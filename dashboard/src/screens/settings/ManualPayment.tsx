import { Text, Textarea, TextInput } from '@mantine/core'
import type { UpdateProfileSettingsInput } from '../../../../sdk/src/operations.ts'
import { useOwnRole } from '../../shell/may.ts'
import { t } from '../../texts/settings.ts'
import { SETTINGS } from './Business.tsx'
import { SettingForm } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

interface Values extends Record<string, unknown> {
  bankName: string
  accountNumber: string
  accountName: string
  instructions: string
}

/** What payers read where nothing can be paid online; none where all of it is empty. */
export function ManualPayment({ rules, mayWrite }: Pick<SectionProps, 'rules' | 'mayWrite'>) {
  const isOwner = useOwnRole() === 'owner'
  const stored = rules.manualPayment
  const isNone = (values: Values) => Object.values(values).every((text) => text === '')
  const needed = (text: string, values: Values) =>
    text === '' && !isNone(values) ? t.isNeeded : null
  return (
    <SettingForm<Values>
      id="manual-payment"
      title={t.paymentInstructions}
      about={t.payersReadThemWhereNothing}
      values={{
        bankName: stored?.bankName ?? '',
        accountNumber: stored?.accountNumber ?? '',
        accountName: stored?.accountName ?? '',
        instructions: stored?.instructions ?? '',
      }}
      action={{
        path: SETTINGS,
        method: 'PUT',
        send: ({ instructions, ...account }): UpdateProfileSettingsInput => ({
          manualPayment: isNone({ instructions, ...account } as Values)
            ? null
            : { ...account, instructions: instructions || null },
        }),
        done: t.theInstructionsAreStored,
      }}
      mayWrite={mayWrite && isOwner}
      validate={{ bankName: needed, accountNumber: needed, accountName: needed }}
    >
      {(form) => (
        <>
          {!isOwner && (
            <Text size="sm" c="dimmed">
              {t.onlyAnOwnerChangesThem}
            </Text>
          )}
          <TextInput label={t.bank} maxLength={100} {...form.getInputProps('bankName')} />
          <TextInput
            label={t.accountNumber}
            maxLength={34}
            {...form.getInputProps('accountNumber')}
          />
          <TextInput label={t.accountName} maxLength={200} {...form.getInputProps('accountName')} />
          <Textarea
            label={t.instructions}
            maxLength={500}
            autosize
            {...form.getInputProps('instructions')}
          />
        </>
      )}
    </SettingForm>
  )
}
