import { Alert, MultiSelect, Radio, Stack, TagsInput, TextInput } from '@mantine/core'
import type { Envelope } from '../../api/hooks.ts'
import { FormModal } from '../../parts/FormModal.tsx'
import { useMay } from '../../shell/may.ts'
import { useMode } from '../../shell/where.ts'
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
      title={mode === 'live' ? 'Create a live key' : 'Create a test key'}
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
          type === 'public' || allows === 'all' || scopes.length > 0
            ? null
            : 'Choose at least one.',
      }}
      verb="Create the key"
      onDone={(answer) => onMade((answer as Envelope<MadeKey>).data)}
    >
      {(form) => (
        <Stack>
          <TextInput
            label="What it is for"
            placeholder="Shop backend"
            maxLength={100}
            data-autofocus
            {...form.getInputProps('label')}
          />
          <Radio.Group label="Kind" {...form.getInputProps('type')}>
            <Stack gap="xs" mt="xs">
              <Radio
                value="secret"
                label="Secret"
                description="For your server. It acts for the business."
              />
              <Radio
                value="public"
                label="Public"
                description="Names your business where anybody can see it. It can do nothing by itself."
              />
            </Stack>
          </Radio.Group>
          {form.values.type === 'secret' && (
            <Radio.Group label="Access" {...form.getInputProps('allows')}>
              <Stack gap="xs" mt="xs">
                <Radio
                  value="all"
                  label="Everything"
                  disabled={!mayAll}
                  description={mayAll ? undefined : 'Your own role does not have full access.'}
                />
                <Radio value="some" label="Only what I choose" />
              </Stack>
            </Radio.Group>
          )}
          {form.values.type === 'secret' && form.values.allows === 'some' && (
            <MultiSelect
              label="Scopes"
              data={choicesFor(may)}
              searchable
              hidePickedOptions
              maxDropdownHeight={260}
              {...form.getInputProps('scopes')}
            />
          )}
          <TagsInput
            label="Allowed IP addresses"
            description="Addresses or ranges, such as 203.0.113.7 or 198.51.100.0/24. Empty for anywhere."
            maxTags={50}
            splitChars={[',', ' ']}
            {...form.getInputProps('allowedIps')}
          />
          <TextInput
            type="date"
            label="Last day"
            description="Empty for never."
            {...form.getInputProps('expiresAt')}
          />
          {mode === 'live' && form.values.type === 'secret' && (
            <Alert color="yellow">With a live key real money can be moved.</Alert>
          )}
        </Stack>
      )}
    </FormModal>
  )
}
