import { Stack, TagsInput, Text } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useMode } from '../../../api/history.ts'
import { act, useAction } from '../../../api/hooks.ts'
import { businessId } from '../../../api/session.ts'
import { ActionButton } from '../../../ui/buttons.tsx'
import { Copyable } from '../../../ui/values.tsx'
import { SettingForm, SettingsPart } from './SettingForm.tsx'
import type { SectionProps } from './Settings.tsx'

export function Website({ rules, mayWrite }: SectionProps) {
  return (
    <>
      <SettingForm<{ origins: string[] }>
        id="origins"
        title="Shop origins"
        about="We redirect payers only to these sites. Enter the scheme, host and port."
        values={{ origins: rules.origins }}
        action={act('update_profile_settings', {
          input: ({ origins }: { origins: string[] }) => ({ origins }),
          done: 'Origins saved.',
        })}
        mayWrite={mayWrite}
      >
        {(form) => (
          <TagsInput
            label="Origins"
            description="Press Enter after each origin. You can add up to 20."
            maxTags={20}
            placeholder={form.values.origins.length === 0 ? 'https://shop.example' : ''}
            {...form.field('origins')}
          />
        )}
      </SettingForm>
      {mayWrite && <RedirectSecret />}
    </>
  )
}

/**
 * Fetches the secret only on request, for which the user must have confirmed their password
 * recently.
 */
function RedirectSecret() {
  const mode = useMode()
  const place = `${businessId()} ${mode}`
  const [known, setKnown] = useState<{ place: string; secret: string }>()
  const show = useAction(act('show_redirect_secret', { refresh: [] }))
  // After a switch to another business or mode, the secret of the previous one must not be visible.
  const isShown = known?.place === place
  const toggle = () =>
    isShown
      ? setKnown(undefined)
      : show.mutate(undefined, { onSuccess: ({ data }) => setKnown({ place, ...data }) })
  return (
    <SettingsPart id="redirect-secret" title="Redirect secret">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" c="dimmed">
          This secret signs the URL that a payer returns to after paying, so your shop can detect
          forged URLs. It is used only in {mode} mode.
        </Text>
        {isShown && <Copyable text={known.secret} />}
        <ActionButton
          icon={isShown ? IconEyeOff : IconEye}
          label={isShown ? 'Hide secret' : 'Show secret'}
          aria-expanded={isShown}
          loading={show.isPending}
          onClick={toggle}
        />
      </Stack>
    </SettingsPart>
  )
}
