import { Alert, MultiSelect, Radio, Stack, TagsInput, TextInput } from '@mantine/core'
import type { Envelope } from '../../api/hooks.ts'
import { DayInput } from '../../parts/DayInput.tsx'
import { FormModal } from '../../parts/FormModal.tsx'
import { useMay } from '../../shell/may.ts'
import { useMode } from '../../shell/where.ts'
import { t } from '../../texts/keys.ts'
import { ALL_SCOPES, choicesFor } from './scopes.ts'
import type { MadeKey } from './types.ts'

interface Values extends Record<string, unknown> {
  label: string
  type: string
  allows: 'all' | 'some'
  scopes: string[]
  allowedIps: string[]
  expiresAt: string
}

/** Makes a key; what it may do is at most what whoever makes it may. */
export function KeyForm({
  opened,
  onClose,
  onMade,
}: {
  opened: boolean
  onClose(): void
  onMade(key: MadeKey): void
}) {
  const may = useMay()
  const mode = useMode()
  const mayAll = ALL_SCOPES.every((scope) => may(scope))
  return (
    <FormModal<Values>
      title={mode === 'live' ? t.createALiveKey : t.createATestKey}
      opened={opened}
      onClose={onClose}
      size="lg"
      initial={{
        label: '',
        type: 'secret',
        allows: mayAll ? 'all' : 'some',
        scopes: [],
        allowedIps: [],
        expiresAt: '',
      }}
      action={{
        path: '/console/keys',
        send: ({ label, type, allows, scopes, allowedIps, expiresAt }) => ({
          type,
          label: label.trim() || null,
          scopes: type === 'public' || allows === 'all' ? null : scopes,
          allowedIps,
          expiresAt: expiresAt || null,
        }),
        refresh: ['/console/keys'],
      }}
      validate={{
        scopes: (scopes, { type, allows }) =>
          type === 'public' || allows === 'all' || scopes.length > 0 ? null : t.chooseAtLeastOne,
      }}
      verb={t.createTheKey}
      onDone={(answer) => onMade((answer as Envelope<MadeKey>).data)}
    >
      {(form) => (
        <Stack>
          <TextInput
            label={t.whatItIsFor}
            placeholder={t.shopBackend}
            maxLength={100}
            data-autofocus
            {...form.getInputProps('label')}
          />
          <Radio.Group label={t.kind} {...form.getInputProps('type')}>
            <Stack gap="xs" mt="xs">
              <Radio value="secret" label={t.secret} description={t.forYourServerItActs} />
              <Radio
                value="public"
                label={t.public}
                description={t.namesYourBusinessWhereAnybody}
              />
            </Stack>
          </Radio.Group>
          {form.values.type === 'secret' && (
            <Radio.Group label={t.access} {...form.getInputProps('allows')}>
              <Stack gap="xs" mt="xs">
                <Radio
                  value="all"
                  label={t.everything}
                  disabled={!mayAll}
                  description={mayAll ? undefined : t.yourOwnRoleDoesNot}
                />
                <Radio value="some" label={t.onlyWhatIChoose} />
              </Stack>
            </Radio.Group>
          )}
          {form.values.type === 'secret' && form.values.allows === 'some' && (
            <MultiSelect
              label={t.scopes}
              data={choicesFor(may)}
              searchable
              hidePickedOptions
              maxDropdownHeight={260}
              {...form.getInputProps('scopes')}
            />
          )}
          <TagsInput
            label={t.allowedIpAddresses}
            description={t.addressesOrRangesSuchAs}
            maxTags={50}
            splitChars={[',', ' ']}
            {...form.getInputProps('allowedIps')}
          />
          <DayInput
            label={t.lastDay}
            description={t.emptyForNever}
            {...form.getInputProps('expiresAt')}
          />
          {mode === 'live' && form.values.type === 'secret' && (
            <Alert color="yellow">{t.withALiveKeyReal}</Alert>
          )}
        </Stack>
      )}
    </FormModal>
  )
}
