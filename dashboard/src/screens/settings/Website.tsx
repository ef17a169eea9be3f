import { TagsInput } from '@mantine/core'
import type { UpdateProfileSettingsInput } from '../../../../sdk/src/operations.ts'
import { t } from '../../texts/settings.ts'
import { SETTINGS } from './Business.tsx'
import { RedirectSecret } from './RedirectSecret.tsx'
import { SettingForm } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

export function Website({ rules, mayWrite }: SectionProps) {
  return (
    <>
      <SettingForm<{ origins: string[] }>
        id="origins"
        title={t.originsOfYourShop}
        about="Payers are sent back to addresses on these sites alone: scheme, host and port."
        values={{ origins: rules.origins }}
        action={{
          path: SETTINGS,
          method: 'PUT',
          send: ({ origins }): UpdateProfileSettingsInput => ({ origins }),
          done: t.theOriginsAreStored,
        }}
        mayWrite={mayWrite}
      >
        {(form) => (
          <TagsInput
            label={t.origins}
            description={t.pressEnterAfterEachUp}
            maxTags={20}
            placeholder={form.values.origins.length === 0 ? 'https://shop.example' : ''}
            {...form.getInputProps('origins')}
          />
        )}
      </SettingForm>
      {mayWrite && <RedirectSecret />}
    </>
  )
}
