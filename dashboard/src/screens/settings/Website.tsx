import { TagsInput } from '@mantine/core'
import type { UpdateProfileSettingsInput } from '../../../../sdk/src/operations.ts'
import { SETTINGS } from './Business.tsx'
import { RedirectSecret } from './RedirectSecret.tsx'
import { SettingForm } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

export function Website({ rules, mayWrite }: SectionProps) {
  return (
    <>
      <SettingForm<{ origins: string[] }>
        id="origins"
        title="Origins of your shop"
        about="Payers are sent back to addresses on these sites alone: scheme, host and port."
        values={{ origins: rules.origins }}
        action={{
          path: SETTINGS,
          method: 'PUT',
          send: ({ origins }): UpdateProfileSettingsInput => ({ origins }),
          done: 'The origins are stored.',
        }}
        mayWrite={mayWrite}
      >
        {(form) => (
          <TagsInput
            label="Origins"
            description="Press Enter after each; up to twenty."
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
